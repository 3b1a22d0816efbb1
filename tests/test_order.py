"""The promised order: claim gives the best of what is unlocked and claimable, as board.queue has.

Random mixtures of kinds, priorities, due, lapsed, scheduled and paused tasks, a closed kind and one
with a cap; in one session against the view, and in eight at once against each other.
"""

from __future__ import annotations

import threading
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.testdb import Connection, TestDb

STATES = ("pending", "pending", "pending", "due", "lapsed", "later", "held", "paused")
MIXTURE = st.lists(
    st.tuples(st.sampled_from("ABCD"), st.integers(-2, 5), st.sampled_from(STATES)),
    min_size=1,
    max_size=60,
)
SLOW = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def put(database: TestDb, tasks: list[tuple[str, int, str]]) -> None:
    """An empty board, then these: typed by hand, so that the log's correction is tried as well."""
    owner = database.owner
    owner.execute(
        "UPDATE board.tasks SET status = 'cancelled' WHERE finished_at IS NULL;"
        "UPDATE board.kind_slots SET task_id = NULL"
    )
    owner.execute("DELETE FROM board.tasks")
    with owner.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO board.tasks (kind, priority, status, paused, run_at, leased_by,"
            " leased_until, claim_count) SELECT k, p, CASE s WHEN 'due' THEN 'scheduled'"
            " WHEN 'later' THEN 'scheduled' WHEN 'lapsed' THEN 'in_progress' WHEN 'held'"
            " THEN 'in_progress' ELSE 'pending' END, s = 'paused', clock_timestamp()"
            " + CASE s WHEN 'later' THEN interval '1 hour' ELSE interval '-1 second' END,"
            " CASE WHEN s IN ('lapsed', 'held') THEN 'gone' END, clock_timestamp()"
            " + CASE s WHEN 'held' THEN interval '1 hour' WHEN 'lapsed' THEN interval '-1 second'"
            " END, CASE WHEN s IN ('lapsed', 'held') THEN 1 ELSE 0 END"
            " FROM (VALUES (%s::text, %s::int, %s::text)) AS v (k, p, s)",
            tasks,
        )


def expected(database: TestDb, kinds: list[str] | None) -> list[UUID]:
    return [
        row[0]
        for row in database.rows(
            "SELECT q.id FROM board.queue AS q WHERE %s::text[] IS NULL OR q.kind = ANY (%s)",
            kinds,
            kinds,
        )
    ]


def claimed(connection: Connection, kinds: list[str] | None, wanted: int) -> list[Any]:
    rows = connection.execute(
        "SELECT c.id, c.priority FROM board.claim('A', kinds => %s::text[], max_tasks => %s) AS c",
        (kinds, wanted),
    ).fetchall()
    return list(rows)


@SLOW
@given(
    tasks=MIXTURE,
    kinds=st.one_of(st.none(), st.lists(st.sampled_from("ABCDE"), min_size=1, max_size=4)),
    wanted=st.integers(1, 20),
    closed=st.booleans(),
)
def test_in_one_session(
    board_db: TestDb,
    tasks: list[tuple[str, int, str]],
    kinds: list[str] | None,
    wanted: int,
    closed: bool,
) -> None:
    put(board_db, tasks)
    board_db.owner.execute(f"SELECT board.{'pause' if closed else 'resume'}('kind:A', 'olga')")
    agent = board_db.connect()
    try:
        order = expected(board_db, kinds)
        for _ in range(3):
            got = [row[0] for row in claimed(agent, kinds, wanted)]
            assert got == order[:wanted]
            order = order[wanted:]
    finally:
        agent.close()
        board_db.owner.execute("SELECT board.resume('kind:A', 'olga')")


@SLOW
@given(tasks=MIXTURE, wanted=st.integers(1, 12))
def test_beside_an_open_claim(
    board_db: TestDb, tasks: list[tuple[str, int, str]], wanted: int
) -> None:
    """What another session has locked, heads of kinds among it, is passed over; the rest is exact.

    Nothing is due here: what a session promotes it holds locked as well, until it commits.
    """
    put(board_db, [(k, p, s) for k, p, s in tasks if s not in ("due", "lapsed")])
    first, second = board_db.connect(autocommit=False), board_db.connect()
    try:
        order = expected(board_db, None)
        taken = [row[0] for row in claimed(first, None, 3)]
        assert taken == order[:3]
        got = [row[0] for row in claimed(second, ["A", "B", "C", "D"], wanted)]
        assert got == order[3 : 3 + wanted]
    finally:
        first.rollback()
        first.close()
        second.close()


@pytest.mark.parametrize("kinds", [None, ["A", "B"]])
def test_batch_over_two_kinds(board_db: TestDb, kinds: list[str] | None) -> None:
    put(
        board_db,
        [("A", p, "pending") for p in (5, 4, 4)] + [("B", p, "pending") for p in (5, 0, 0)],
    )
    assert [row[1] for row in claimed(board_db.owner, kinds, 4)] == [5, 5, 4, 4]


def test_a_hundred_and_fifty_due_and_one_of_priority_nine(board_db: TestDb) -> None:
    put(board_db, [("A", 0, "due")] * 150)
    put_last = "INSERT INTO board.tasks (kind, priority, status, run_at) VALUES ('A', 9,"
    board_db.owner.execute(f"{put_last} 'scheduled', clock_timestamp())".encode())
    assert [row[1] for row in claimed(board_db.owner, None, 1)] == [9]


def test_in_eight_sessions(board_db: TestDb) -> None:
    """Each session's claims, as the log has them, go down in order; nothing is given twice."""
    kinds = "ABCDEFGH"
    board_db.owner.execute("SELECT setseed(0.5)")
    board_db.owner.execute(
        "SELECT board.enqueue(chr(65 + (random() * 7)::int), priority => (random() * 9)::int)"
        " FROM generate_series(1, 600)"
    )
    taken: list[list[tuple[UUID, int]]] = [[] for _ in kinds]

    def work(number: int) -> None:
        with board_db.connect() as agent:
            size = number % 3 + 1
            asked = None if number % 2 else list(kinds)
            while rows := claimed(agent, asked, size):
                taken[number] += rows

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(kinds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    ids = [row[0] for rows in taken for row in rows]
    assert len(ids) == len(set(ids)) == 600
    for rows in taken:
        priorities = [row[1] for row in rows]
        assert priorities == sorted(priorities, reverse=True)
