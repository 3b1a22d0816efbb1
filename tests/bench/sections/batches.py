"""A hundred at a time against one at a time."""

from __future__ import annotations

from collections.abc import Mapping

from tests.bench import pgbench, queues, stats
from tests.bench.queues import board, enqueue
from tests.bench.sections.common import (
    INSERT,
    PAYLOADS,
    Results,
    Samples,
    Size,
    load,
    say,
    stand,
    vacuum,
)
from tests.bench.server import Database, Host

BATCH = (
    "SELECT array_agg(c.id) AS tasks FROM board.claim('agent', '10 minutes', max_tasks => 100)"
    " AS c \\gset\nSELECT count(*) FROM board.complete_many(:tasks::uuid[], 'agent');\n"
)


def batches(host: Host, size: Size) -> Results:
    """A hundred at a time against one at a time."""
    off = stand(host, board("off"))
    floor = stand(host, queues.FLOOR)
    born = host.database("born")
    board("off").setup(born)
    enqueue(born, 1)
    scripts: Mapping[str, tuple[Database, str, int]] = {
        "single": (off.database, off.queue.script, 1),
        "batch": (off.database, BATCH, 100),
        "insert": (floor.database, INSERT.replace("COUNT", "1") + ";", 1),
        "enqueue": (born, "SELECT board.enqueue('bench');", 1),
        "insert_100": (floor.database, INSERT.replace("COUNT", "100") + ";", 100),
        "enqueue_many_100": (
            born, f"SELECT count(*) FROM board.enqueue_many('bench', {PAYLOADS});", 100,
        ),
    }  # fmt: skip
    told: Results = {
        "samples": {}, "batch_against_single": {}, "enqueue": {}, "enqueue_many": {}, "load": {},
    }  # fmt: skip
    backlog = max(size.waiting // 3, 200 * size.batches)
    rounds = max(1, size.rounds - 2)
    for clients in (1, 8) if 8 in size.clients else size.clients[:2]:
        samples: Samples = {name: [] for name in scripts}
        for number in range(rounds):
            for name in stats.turn(list(scripts), number):
                database, script, rows = scripts[name]
                if name in ("single", "batch"):
                    off.fill_to(backlog)
                vacuum(database)
                # A timed slice would take more than waits: batches are counted.
                length: dict[str, int] = (
                    {"each": max(1, size.batches // clients)}
                    if name == "batch"
                    else {"seconds": max(1, size.seconds - 1)}
                )
                found = pgbench.run(host.pgbench, database.dsn, script, clients, **length)
                samples[name].append(found.per_second * rows)
                if name in ("single", "batch"):
                    off.took(found.executions * rows)
        key = str(clients)
        told["samples"][key] = samples
        told["batch_against_single"][key] = stats.ratio(samples, "batch", "single")
        told["enqueue"][key] = stats.ratio(samples, "enqueue", "insert")
        told["enqueue_many"][key] = stats.ratio(samples, "enqueue_many_100", "insert_100")
        told["load"][key] = load()
        say(f"batches at {clients}: {told['batch_against_single'][key]:.1f} times single")
    off.check()
    for database in (off.database, floor.database, born):
        host.drop(database)
    return told
