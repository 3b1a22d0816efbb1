"""A session that forgot to end its transaction."""

from __future__ import annotations

from tests.bench import pgbench, queues, stats
from tests.bench.queues import board
from tests.bench.sections.common import Results, Size, load, say, stand, vacuum
from tests.bench.server import Host, held_snapshot


def held(host: Host, size: Size) -> Results:
    """A session that forgot to end its transaction, and no autovacuum: the course of a minute."""
    told: Results = {"seconds": size.held, "course": {}, "last_against_first": {}, "labels": {}}
    clients = 8 if 8 in size.clients else max(size.clients)
    part = min(10, size.held // 2)
    told["part"], told["clients"] = part, clients
    with host.setting("autovacuum", "off"):
        for queue in (queues.FLOOR, board("off")):
            one = stand(host, queue)
            one.fill_to(2 * size.waiting)
            vacuum(one.database)
            with held_snapshot(one.database):
                found = pgbench.run(
                    host.pgbench, one.database.dsn, queue.script, clients, seconds=size.held
                )
            one.took(found.executions)
            one.check()
            course = list(found.course[pgbench.WARM_UP :])
            first, last = stats.ends(course, min(part, len(course) // 2))
            told["course"][queue.key] = course
            told["last_against_first"][queue.key] = last / first
            told["labels"][queue.key] = queue.label
            host.drop(one.database)
            say(f"held snapshot, {queue.label}: {last / first:.2f}")
    told["load"] = load()
    return told
