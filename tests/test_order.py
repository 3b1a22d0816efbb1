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


def fall_due(database: TestDb, kind: str, count: int, priorities: int) -> None:
    """So many tasks whose time has just come, their priorities 0 to priorities - 1, mixed."""
    database.owner.execute(
        "INSERT INTO board.tasks (kind, priority, status, run_at, rank, due_at)"
        " SELECT %s, n * 7919 %% %s, 'scheduled', v.at, NULL, v.at"
        "   FROM generate_series(1, %s) AS n"
        "  CROSS JOIN LATERAL (VALUES"
        "        (clock_timestamp() - n %% 100 * interval '1 ms')) AS v (at)",
        (kind, priorities, count),
    )


def test_every_claim_advances_when_a_great_many_fall_due_at_once(board_db: TestDb) -> None:
    """A claim that puts back more than its timeout allows puts back nothing, and so does the next.

    However many are due, one claim puts back some thousand at most, and takes the best of all.
    """
    fall_due(board_db, "A", 20_000, 1000)
    order = expected(board_db, None)
    agent = board_db.connect()
    agent.execute("SET statement_timeout = '2s'")
    ready = "SELECT count(*) FROM board.tasks AS t WHERE t.rank IS NOT NULL"
    before = 0
    for n in range(5):
        assert [row[0] for row in claimed(agent, None, 1)] == order[n : n + 1]
        after = board_db.one(ready)
        assert before < after <= before + 1000
        before = after
    assert [row[0] for row in claimed(agent, ["A"], 1000)] == order[5:1005]
    agent.close()


def test_many_due_many_ready(board_db: TestDb) -> None:
    """Due and ready compete: what is due and not put back yet is not passed by what is worse."""
    fall_due(board_db, "A", 2000, 50)
    fall_due(board_db, "B", 1000, 50)
    board_db.owner.execute(
        "SELECT board.enqueue('C', priority => n * 31 % 50) FROM generate_series(1, 300) AS n"
    )
    order = expected(board_db, None)
    for size in (1, 1, 7, 100, 1, 400, 1000, 3):
        got = [row[0] for row in claimed(board_db.owner, None, size)]
        assert got == order[:size]
        order = order[size:]


def test_many_due_of_a_kind_that_is_full(board_db: TestDb) -> None:
    """They do not hide what is due of another kind, which is better than what is ready."""
    board_db.owner.execute("SELECT board.configure_kind('full', max_in_progress => 2)")
    fall_due(board_db, "full", 3000, 1)
    board_db.owner.execute("UPDATE board.tasks SET priority = 9")
    fall_due(board_db, "A", 300, 5)
    board_db.owner.execute("SELECT board.enqueue('C') FROM generate_series(1, 50)")
    agent = board_db.connect()
    for _ in range(8):
        best = expected(board_db, None)[0]
        assert [row[0] for row in claimed(agent, None, 1)] == [best]
    rest = expected(board_db, None)
    assert [row[0] for row in claimed(agent, None, 200)] == rest[:200]
    # Its holders let their leases lapse: their slots are free again.
    board_db.owner.execute(
        "UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 second'"
        " WHERE status = 'in_progress' AND kind = 'full'"
    )
    got = [row[1] for row in claimed(agent, None, 1)]
    assert got == [9]
    agent.close()


def test_a_great_many_lapse_for_the_last_time(board_db: TestDb) -> None:
    """Claims that find only what goes to the human queue end, and what they did stays."""
    board_db.owner.execute("SELECT board.configure_kind('A', max_lapses => 1)")
    board_db.owner.execute(
        "INSERT INTO board.tasks (kind, status, leased_by, leased_until, claim_count, rank, due_at)"
        " SELECT 'A', 'in_progress', 'gone', v.at, 1, NULL, v.at FROM generate_series(1, 20000)"
        " CROSS JOIN (SELECT clock_timestamp() - interval '1 second') AS v (at)"
    )
    board_db.owner.execute("SELECT board.enqueue('A', priority => -1)")
    escalated = "SELECT count(*) FROM board.tasks AS t WHERE t.status = 'escalated'"
    before, rounds = 0, 0
    while not claimed(board_db.owner, None, 1):
        rounds += 1
        after = board_db.one(escalated)
        assert before < after <= before + 16_000
        before = after
    assert rounds > 0
    assert board_db.one(escalated) == 20_000
