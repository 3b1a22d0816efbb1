"""The live board: one LISTEN, every browser, nothing lost and nothing doubled."""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.live import Audience, Relay, Viewer, Wire, wait_until
from tests.support.testdb import TestDb

pytest.importorskip("uvicorn")

KINDS = ("send_invoice", "summarise_call", "sync_stock")


@pytest.fixture
def relay(board_db: TestDb) -> Iterator[Relay]:
    with Relay(board_db.dsn) as running:
        yield running


def work(dsn: str, number: int, transitions: int) -> None:
    """One agent: adds tasks and works on them until it has made so many transitions."""
    rng = random.Random(number)
    agent = f"agent-{number}"
    made = 0
    with psycopg.connect(dsn, autocommit=True) as connection:
        while made < transitions:
            connection.execute(
                "SELECT board.enqueue(%s::text, %s::jsonb)",
                (rng.choice(KINDS), Jsonb({"by": agent, "n": made})),
            )
            made += 1
            claimed = connection.execute(
                "SELECT c.id, c.claim_count FROM board.claim(%s::text) AS c", (agent,)
            ).fetchone()
            if claimed is None:
                continue
            end = rng.random()
            if end < 0.75:
                query = "SELECT board.complete(%s::uuid, %s::text, NULL, %s::int)"
            elif end < 0.9:
                query = "SELECT board.fail(%s::uuid, %s::text, NULL, false, NULL, %s::int)"
            else:
                query = "SELECT board.release(%s::uuid, %s::text, '0', %s::int)"
            connection.execute(query, (claimed[0], agent, claimed[1]))  # type: ignore[arg-type]
            made += 2


def work_together(dsn: str, agents: int = 8, transitions: int = 125) -> None:
    threads = [
        threading.Thread(target=work, args=(dsn, number, transitions)) for number in range(agents)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def log(db: TestDb) -> list[tuple[int, str]]:
    """Every event there is: seq and task, in the order of writing."""
    return [
        (row[0], str(row[1]))
        for row in db.rows("SELECT e.seq, e.task_id FROM board.task_events AS e ORDER BY e.seq")
    ]


def by_task(events: list[tuple[int, str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for seq, task in events:
        found[task].append(seq)
    return found


def seen(viewer: Viewer) -> list[tuple[int, str]]:
    return [(event["seq"], event["task_id"]) for event in viewer.transitions]


def assert_complete(viewers: list[Viewer], truth: list[tuple[int, str]]) -> None:
    """Each viewer has every event once, and each task's events in order."""
    wanted = len(truth)
    wait_until(
        lambda: all(len(viewer.transitions) >= wanted for viewer in viewers),
        f"everybody has {wanted} events; they have "
        f"{sorted({len(viewer.transitions) for viewer in viewers})}",
    )
    order = by_task(truth)
    for viewer in viewers:
        events = seen(viewer)
        assert len(events) == len(set(events)), "an event came twice"
        assert set(events) == set(truth)
        assert by_task(events) == order


# -- the fan-out ---------------------------------------------------------------------------------


@pytest.mark.parametrize("notify", ["each", "coalesced", "off"])
def test_every_viewer_sees_every_event_once(board_db: TestDb, notify: str) -> None:
    board_db.owner.execute("SELECT board.configure(notify => %s::text)", (notify,))
    with Wire(board_db.dsn) as wire, Relay(wire.dsn) as relay, Audience() as audience:
        viewers = audience.add_many(50, relay.port)
        work_together(board_db.dsn)
        truth = log(board_db)
        assert len(truth) >= 1000
        assert_complete(viewers, truth)
        assert all(viewer.connections == 1 for viewer in viewers)
