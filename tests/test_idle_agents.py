"""Agents that sleep until they are called: LISTEN, and next_due for what no notification tells."""

from __future__ import annotations

import random
import time
from collections import Counter

import psycopg
import pytest

from tests.support.testdb import TestDb
from tests.support.workers import crew

ASLEEP = 15.0
TASKS = 60


def sleep_and_work(dsn: str, agent: str) -> Counter[str]:
    """Claim until there is nothing; then sleep until a notification, or until something is due.

    A nap of the full length means that nobody called although there was work: it is counted.
    """
    seen: Counter[str] = Counter()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("LISTEN task_events")
        while True:
            claimed = connection.execute(
                "SELECT c.id, c.claim_count FROM board.claim(%s, '1 minute') AS c", (agent,)
            ).fetchall()
            for task_id, attempt in claimed:
                if attempt == 1 and int(str(task_id)[-1], 16) < 3:
                    connection.execute("SELECT board.fail(%s, %s)", (task_id, agent))
                else:
                    connection.execute("SELECT board.complete(%s, %s)", (task_id, agent))
                    seen["completed"] += 1
            if claimed:
                continue
            row = connection.execute(
                "SELECT count(*) FILTER (WHERE t.finished_at IS NOT NULL) = %s,"
                " extract(epoch FROM board.next_due() - clock_timestamp())::float8"
                " FROM board.tasks AS t",
                (TASKS,),
            ).fetchone()
            assert row is not None
            if row[0]:
                return seen
            nap = ASLEEP if row[1] is None else min(ASLEEP, max(0.0, row[1]) + 0.001)
            woken = list(connection.notifies(timeout=nap, stop_after=1))
            if not woken and nap == ASLEEP:
                seen["overslept"] += 1


def bring_work(dsn: str, tasks: int, seed: int) -> Counter[str]:
    rng = random.Random(seed)
    with psycopg.connect(dsn, autocommit=True) as connection:
        for _ in range(tasks):
            connection.execute("SELECT board.enqueue('work')")
            time.sleep(rng.uniform(0, 0.05))
    return Counter()


def do(role: str, dsn: str, *rest: object) -> Counter[str]:
    if role == "agent":
        return sleep_and_work(dsn, str(rest[0]))
    return bring_work(dsn, TASKS // 2, int(str(rest[0])))


@pytest.mark.parametrize("cap", [None, 1], ids=["", "capped"])
@pytest.mark.parametrize("notify", ["each", "coalesced"])
def test_nobody_oversleeps(board_db: TestDb, notify: str, cap: int | None) -> None:
    """60 tasks from two sessions, some failing with a delay: three agents do all, none polls."""
    board_db.owner.execute("SELECT board.configure(notify => %s)", (notify,))
    board_db.owner.execute(
        "SELECT board.configure_kind('work', retry_delay => '30 milliseconds',"
        " max_in_progress => %s)",
        (cap,),
    )
    people = [("agent", board_db.dsn, f"agent-{n}") for n in range(3)]
    people += [("source", board_db.dsn, str(n)) for n in range(2)]
    with crew(do, people) as working:
        seen: Counter[str] = sum(working.results(), Counter())
    assert seen == Counter({"completed": TASKS})
