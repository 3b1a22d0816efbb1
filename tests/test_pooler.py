"""The verbs through PgBouncer in transaction mode: no call may count on the session of the last."""

from __future__ import annotations

from collections import Counter

import psycopg
import pytest

from tests.support.leases import assert_leases_never_overlapped
from tests.support.pooler import pooled
from tests.support.testdb import TestDb
from tests.support.workers import crew
from tests.test_processes import drain

pytestmark = pytest.mark.pooler


def test_drain_through_a_pooler(board_db: TestDb) -> None:
    """Eight agents on three server connections, each statement on whichever is free."""
    board_db.owner.execute(
        "SELECT count(*) FROM board.enqueue_many('pooled', (SELECT"
        " array_agg(jsonb_build_object('fails', mod(n, 20) = 0))"
        " FROM generate_series(1, 400) AS n))"
    )
    with (
        pooled(board_db.dsn) as through,
        crew(drain, [(through, f"agent-{n}", 1, n, None) for n in range(8)]) as agents,
    ):
        seen: Counter[str] = sum(agents.results(), Counter())
    assert seen["complete: completed"] >= 380 - seen["terminated"]
    assert board_db.rows(
        "SELECT t.status, count(*) FROM board.tasks AS t GROUP BY 1 ORDER BY 1"
    ) == [("completed", 380), ("escalated", 20)]
    assert_leases_never_overlapped(board_db)


def test_the_feed_and_the_role_through_a_pooler(board_db: TestDb) -> None:
    """A cursor read on one connection goes on on another; SET LOCAL ROLE tells who called."""
    with pooled(board_db.dsn) as through:
        cursor = board_db.one("SELECT board.latest_cursor()")
        for _ in range(20):
            with psycopg.connect(through) as agent:
                agent.execute("SET LOCAL ROLE board_agent")
                agent.execute("SELECT board.enqueue('pooled')")
            with psycopg.connect(through, autocommit=True) as reader:
                rows = reader.execute(
                    "SELECT f.cursor, f.db_user FROM board.events_since(%s) AS f", (cursor,)
                ).fetchall()
            assert [row[1] for row in rows] == ["board_agent"]
            cursor = rows[0][0]
