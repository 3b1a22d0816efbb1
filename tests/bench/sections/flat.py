"""What else is on the board should not matter to who takes the next task."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench import pgbench, queues, stats
from tests.bench.machine import cpu_microseconds
from tests.bench.queues import CLAIM, COMPLETE, Queue, board, enqueue
from tests.bench.sections.common import Agent, Results, Samples, Size, load, say, vacuum
from tests.bench.sections.feed import feed
from tests.bench.server import Database, Host


@dataclass
class Scene:
    """A board with something much in it, and the claim that is made there."""

    key: str
    label: str
    database: Database
    claim: str = CLAIM
    kinds: tuple[str, ...] = ("bench",)

    @property
    def queue(self) -> Queue:
        return Queue(
            self.key, self.label, self.claim, COMPLETE, finished="", setup=lambda _: None,
            fill=enqueue,
        )  # fmt: skip

    def refill(self, count: int) -> None:
        for kind in self.kinds:
            enqueue(self.database, count // len(self.kinds), kind)


def _finish_all(database: Database) -> None:
    while database.value(
        "SELECT count(*) FROM board.complete_many(ARRAY(SELECT c.id FROM board.claim('agent',"
        " '10 minutes', max_tasks => 1000) AS c), 'agent')"
    ):
        pass


def _scenes(host: Host, size: Size) -> Iterator[Scene]:
    empty = host.database("scene")
    board("off").setup(empty)

    def scene(key: str, label: str, template: str = "scene", **more: Any) -> Scene:
        return Scene(key, label, host.database(f"scene_{key}", template), **more)

    yield (base := scene("base", f"{size.few:,} pending"))
    enqueue(base.database, size.few)
    yield (one := scene("pending", f"{size.many:,} pending"))
    enqueue(one.database, size.many)
    # Typed by hand, as a DBA may: each row is an event, too.
    yield (one := scene("finished", f"{size.many:,} finished"))
    one.database.execute(
        "INSERT INTO board.tasks (kind, status, finished_at)"
        " SELECT 'bench', 'completed', clock_timestamp() FROM generate_series(1, %s)", size.many,
    )  # fmt: skip
    enqueue(one.database, size.few)
    yield (one := scene("scheduled", f"{size.some:,} scheduled"))
    queues.in_chunks(
        one.database,
        "SELECT count(*) FROM board.enqueue_many('bench', array_fill('{}'::jsonb, ARRAY[%s]),"
        " run_at => clock_timestamp() + '1 day')", size.some,
    )  # fmt: skip
    enqueue(one.database, size.few)
    yield (one := scene("in_progress", f"{size.some:,} in progress"))
    enqueue(one.database, size.some)
    for _ in range(-(-size.some // 1000)):
        one.database.execute(
            "SELECT count(*) FROM board.claim('other', '1 day', max_tasks => 1000)"
        )
    enqueue(one.database, size.few)
    yield (one := scene("paused", f"{size.some:,} of a paused kind"))
    enqueue(one.database, size.some, "halted")
    one.database.execute("SELECT board.pause('kind:halted', 'bench')")
    enqueue(one.database, size.few)
    names = tuple(f"kind_{number}" for number in range(size.kinds))
    yield (one := scene("live_kinds", f"{size.kinds} live kinds", kinds=names))
    one.refill(size.few)
    ten = ", ".join(f"'{name}'" for name in names[:10])
    asked = f"SELECT c.id AS task FROM board.claim('agent', '10 minutes', ARRAY[{ten}]) AS c"
    yield Scene("ten_kinds", "ten kinds asked for by name", one.database, asked, names[:10])
    own = "SELECT c.id AS task FROM board.claim('agent', '10 minutes', ARRAY['bench']) AS c"
    yield Scene("one_kind", "one kind asked for by name", base.database, own)
    yield (one := scene("old_names", f"{size.names:,} names of finished kinds"))
    one.database.execute(
        "SELECT count(board.enqueue('old_' || n)) FROM generate_series(1, %s) AS n", size.names
    )
    _finish_all(one.database)
    enqueue(one.database, size.few)
    yield (one := scene("cap", "a kind with max_in_progress"))
    one.database.execute("SELECT board.configure_kind('bench', max_in_progress => 64)")
    enqueue(one.database, size.few)
    yield (one := scene("provider", "a kind with a provider"))
    one.database.execute("SELECT board.configure_provider('api', 'https://api.example')")
    one.database.execute("SELECT board.set_limit('api', '1 day', 1000000000)")
    one.database.execute("SELECT board.configure_kind('bench', provider => 'api')")
    enqueue(one.database, size.few)


def flat(host: Host, size: Size) -> Results:
    """What else is on the board should not matter to who takes the next task."""
    scenes = list(_scenes(host, size))
    for scene in scenes:
        vacuum(scene.database)
    host.checkpoint()
    clients = 8 if 8 in size.clients else max(size.clients)
    rounds = max(1, size.rounds - 2)
    rates: Samples = {scene.key: [] for scene in scenes}
    for number in range(rounds):
        for scene in stats.turn(scenes, number):
            scene.refill(clients * size.each)
            vacuum(scene.database)
            found = pgbench.run(
                host.pgbench, scene.database.dsn, scene.queue.script, clients, each=size.each
            )
            rates[scene.key].append(found.per_second)
    told: Results = {
        "labels": {scene.key: scene.label for scene in scenes},
        "clients": clients, "few": size.few, "samples": rates, "jobs": {}, "claim": {},
        "claim_us": {},
    }  # fmt: skip
    claims = _claim_costs(scenes, size)
    for scene in scenes:
        told["jobs"][scene.key] = stats.ratio(rates, scene.key, "base")
        told["claim"][scene.key] = stats.ratio(claims, scene.key, "base")
        told["claim_us"][scene.key] = stats.middle(claims[scene.key])
        say(f"{scene.label}: {told['jobs'][scene.key]:.2f} of the jobs")
    told["feed"] = feed(next(one for one in scenes if one.key == "finished").database)
    told["load"] = load()
    for database in {id(scene.database): scene.database for scene in scenes}.values():
        host.drop(database)
    return told


def _claim_costs(scenes: Sequence[Scene], size: Size) -> Samples:
    if cpu_microseconds(os.getpid()) is None:
        return {scene.key: [] for scene in scenes}
    samples: Samples = {scene.key: [] for scene in scenes}
    agents = {scene.key: Agent(scene.database, scene.queue) for scene in scenes}
    # A cap of 64 is not to be met, so no more than that are held at once.
    block = min(size.block, 50)
    for number in range(-1, 2 * size.rounds):
        for scene in stats.turn(scenes, number):
            scene.refill(max(block, len(scene.kinds)))
            agent = agents[scene.key]
            began = agent.used()
            rows = [agent.claim() for _ in range(block)]
            if number >= 0:
                samples[scene.key].append((agent.used() - began) / block)
            for row in rows:
                agent.finish(row)
    for agent in agents.values():
        agent.close()
    return samples
