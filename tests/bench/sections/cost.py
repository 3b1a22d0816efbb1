"""What a call costs: CPU of the backend, and WAL."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tests.bench import queues, stats
from tests.bench.machine import cpu_microseconds
from tests.bench.peers import PEERS
from tests.bench.queues import board
from tests.bench.sections.common import (
    INSERT,
    PAYLOADS,
    Agent,
    Results,
    Samples,
    Size,
    load,
    say,
    stand,
    vacuum,
)
from tests.bench.server import Host


def cost(host: Host, size: Size) -> Results:
    """CPU of the backend for each call, and WAL for each job, one session at a time.

    Without full page images, which depend on when the last checkpoint was.
    """
    if cpu_microseconds(os.getpid()) is None:
        return {"skipped": "this system does not tell what a process has used (no schedstat)"}
    chosen = [queues.FLOOR, queues.BELL, board("off"), board("coalesced"), board("each")]
    for name in PEERS:
        with _peer_or_none(name):
            chosen.append(PEERS[name](host))
    stands = []
    for queue in chosen:
        one = stand(host, queue)
        one.fill_to(size.block * (6 * size.rounds + 8) + 1000)
        stands.append(one)
    rounds = 2 * size.rounds
    claim: Samples = {one.queue.key: [] for one in stands}
    finish: Samples = {one.queue.key: [] for one in stands}
    wal: Samples = {one.queue.key: [] for one in stands}
    agents = {one.queue.key: Agent(one.database, one.queue) for one in stands}
    with host.setting("full_page_writes", "off"), host.setting("autovacuum", "off"):
        for number in range(-1, rounds):  # the first warms up
            for one in stats.turn(stands, number):
                agent = agents[one.queue.key]
                vacuum(one.database)
                began, wrote = agent.used(), host.wal_position()
                rows = [agent.claim() for _ in range(size.block)]
                between = agent.used()
                for row in rows:
                    agent.finish(row)
                ended = agent.used()
                if number >= 0:
                    claim[one.queue.key].append((between - began) / size.block)
                    finish[one.queue.key].append((ended - between) / size.block)
                    wal[one.queue.key].append((host.wal_position() - wrote) / size.block)
    calls = _calls(size, agents["board_off"], agents["floor"])
    told: Results = {
        "labels": {one.queue.key: one.queue.label for one in stands},
        "block": size.block, "claim_us": {}, "finish_us": {}, "wal_bytes": {}, "ratios": {},
        "calls": calls, "load": load(),
    }  # fmt: skip
    job = {name: [a + b for a, b in zip(claim[name], finish[name], strict=True)] for name in claim}
    for one in stands:
        name = one.queue.key
        told["claim_us"][name] = stats.middle(claim[name])
        told["finish_us"][name] = stats.middle(finish[name])
        told["wal_bytes"][name] = stats.middle(wal[name])
        told["ratios"][name] = {
            "claim": stats.ratio(claim, name, "floor"),
            "finish": stats.ratio(finish, name, "floor"),
            "job": stats.ratio(job, name, "floor"),
            "wal": stats.ratio(wal, name, "floor"),
        }
        agents[name].close()
        host.drop(one.database)
    say(f"a job costs {told['ratios']['board_off']['job']:.2f} of the floor's CPU")
    return told


@contextmanager
def _peer_or_none(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        say(f"{name} is not to be had here: {error}")


def _calls(size: Size, agent: Agent, floor: Agent) -> Results:
    """Microseconds of CPU of the other verbs; of those on many tasks, for each task."""
    samples: Samples = {}
    few = max(1, size.block // 20)
    for number in range(-1, size.rounds):  # the first warms up
        found = {
            "insert": _each(floor, INSERT.replace("COUNT", "1"), [{}] * size.block),
            "enqueue": _each(agent, "SELECT board.enqueue('bench')", [{}] * size.block),
            "insert_100": _each(floor, INSERT.replace("COUNT", "100"), [{}] * few) / 100,
            "enqueue_many_100": _each(
                agent, f"SELECT count(*) FROM board.enqueue_many('bench', {PAYLOADS})", [{}] * few
            )
            / 100,
            **_batch(agent, few),
        }
        for verb in ("heartbeat", "fail", "release"):
            tasks = [agent.claim() for _ in range(size.block)]
            found[verb] = _each(agent, f"SELECT board.{verb}(%(task)s, 'agent')", tasks)
            if verb == "heartbeat":
                for task in tasks:
                    agent.finish(task)
        if number >= 0:
            for name, used in found.items():
                samples.setdefault(name, []).append(used)
    return {name: stats.middle(values) for name, values in samples.items()}


def _each(agent: Agent, statement: str, values: Sequence[Mapping[str, Any]]) -> float:
    """What one execution uses."""
    prepared = statement.encode()
    began = agent.used()
    for one in values:
        agent.cursor.execute(prepared, one)
    return (agent.used() - began) / len(values)


def _batch(agent: Agent, times: int) -> dict[str, float]:
    claim = b"SELECT c.id FROM board.claim('agent', '10 minutes', max_tasks => 100) AS c"
    began = agent.used()
    taken = [[row["id"] for row in agent.cursor.execute(claim, prepare=True)] for _ in range(times)]
    between = agent.used()
    for ids in taken:
        agent.cursor.execute(
            b"SELECT count(*) FROM board.complete_many(%s::uuid[], 'agent')", (ids,)
        )
    tasks = sum(len(ids) for ids in taken)
    return {
        "claim_100": (between - began) / tasks,
        "complete_many_100": (agent.used() - between) / tasks,
    }
