"""One truth about readiness: what is shown is what the next claim would find.

Random boards, with everything in it that only a claim writes down: what is due, leases that have
lapsed, last lapses, slots of lapsed holders, cards that a person let lapse. The views, explain,
next_due and health are compared with what claim, claim_task and claim_escalated then give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support.testdb import Connection, TestDb

STATES = ("pending", "later", "due", "held", "lapsed", "person", "left", "escalated")
# Kind: (max_lapses, max_in_progress).
KINDS: dict[str, tuple[int | None, int | None]] = {
    "plain": (None, None),
    "fragile": (2, None),
    "single": (None, 1),
    "both": (1, 1),
}


@dataclass(frozen=True)
class Entry:
    kind: str
    state: str
    priority: int
    lapses: int
    paused: bool


ENTRIES = st.builds(
    Entry,
    kind=st.sampled_from(tuple(KINDS)),
    state=st.sampled_from(STATES),
    priority=st.integers(0, 2),
    lapses=st.integers(0, 2),
    paused=st.sampled_from((False, False, False, True)),
)


def _one(board: Connection, query: Any, *arguments: Any) -> Any:
    row = board.execute(query, arguments or None).fetchone()
    assert row is not None
    return row[0]


def _column(board: Connection, query: Any, *arguments: Any) -> list[Any]:
    return [row[0] for row in board.execute(query, arguments or None).fetchall()]


def _put(board: Connection, entry: Entry) -> None:
    """Bring one task into that state, as far as the kind's cap lets it."""
    task = _one(board, "SELECT board.enqueue(%s, '{}', %s)", entry.kind, entry.priority)
    if entry.state in ("later", "due"):
        board.execute(
            "UPDATE board.tasks SET status = 'scheduled',"
            " run_at = clock_timestamp() + %s::interval WHERE id = %s",
            ("1 hour" if entry.state == "later" else "-1 s", task),
        )
    elif entry.state != "pending" and _column(
        board, "SELECT c.id FROM board.claim_task(%s, 'bot') AS c", task
    ):
        if entry.state in ("person", "left", "escalated"):
            board.execute("SELECT board.escalate(%s, 'bot')", (task,))
        if entry.state in ("person", "left"):
            board.execute("SELECT board.claim_escalated('ann', id => %s)", (task,))
        board.execute("UPDATE board.tasks SET lapse_count = %s WHERE id = %s", (entry.lapses, task))
        if entry.state in ("lapsed", "left"):
            board.execute(
                "UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 s'"
                " WHERE id = %s",
                (task,),
            )
    if entry.paused:
        # pause() refuses what is in progress; a DBA's UPDATE does not.
        board.execute("UPDATE board.tasks SET paused = true WHERE id = %s", (task,))


def _claimed_in_order(board: Connection, verb: Any) -> list[UUID]:
    """What the verb gives, one call after the other, until there is no more."""
    found: list[UUID] = []
    while given_out := _column(board, verb):
        found += given_out
    return found


def _compare(board: Connection) -> None:
    queue = board.execute("SELECT q.id, q.kind FROM board.queue AS q").fetchall()
    ids = [row[0] for row in queue]
    cards = _column(board, "SELECT h.id FROM board.human_queue AS h WHERE h.held_by IS NULL")
    explained = _column(
        board,
        "SELECT t.id FROM board.tasks AS t WHERE board.explain(t.id) LIKE '%claimable now%'",
    )
    waiting = _column(
        board,
        "SELECT t.id FROM board.tasks AS t"
        " WHERE board.explain(t.id) LIKE 'waiting for a person since %'",
    )
    assert set(explained) == set(ids)
    # Every open task is in one of four places.
    waits = _column(board, "SELECT w.id FROM board.waiting AS w")
    held = _column(
        board,
        "SELECT t.id FROM board.tasks AS t"
        " WHERE t.status = 'in_progress' AND t.leased_until > clock_timestamp()",
    )
    everything = _column(board, "SELECT t.id FROM board.tasks AS t")
    assert sorted(ids + waits + held + cards) == sorted(everything)
    assert set(waiting) == set(cards)
    assert _one(board, "SELECT coalesce(board.next_due() <= clock_timestamp(), false)") == bool(ids)
    pending, escalated, depth, human = board.execute(
        "SELECT sum(k.pending), sum(k.escalated), min(h.depth), min(h.human_queue)"
        "  FROM board.kind_stats AS k, board.health AS h"
    ).fetchall()[0]
    assert (pending, escalated) == (depth, human)
    assert human == len(cards)

    for task in _column(board, "SELECT t.id FROM board.tasks AS t"):
        with board.transaction(force_rollback=True):
            got = _column(board, "SELECT c.id FROM board.claim_task(%s, 'x') AS c", task)
            assert got == ([task] if task in ids else [])
        with board.transaction(force_rollback=True):
            got = _column(board, "SELECT c.id FROM board.claim_escalated('x', id => %s) AS c", task)
            assert got == ([task] if task in cards else [])

    with board.transaction(force_rollback=True):
        order = _claimed_in_order(board, "SELECT c.id FROM board.claim_escalated('x') AS c")
        assert order == cards
    with board.transaction(force_rollback=True):
        full: set[str] = set()
        expected = []
        for task, kind in queue:
            if kind not in full:
                expected.append(task)
            if KINDS[kind][1] is not None:
                full.add(kind)
        assert _claimed_in_order(board, "SELECT c.id FROM board.claim('x') AS c") == expected
        assert _column(board, "SELECT q.id FROM board.queue AS q") == []
        # What agents' claims have put into the human queue is what was there before, in its order.
        assert (
            _column(board, "SELECT h.id FROM board.human_queue AS h WHERE h.held_by IS NULL")
            == cards
        )


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(ENTRIES, min_size=1, max_size=6), st.sets(st.sampled_from(tuple(KINDS)), max_size=1)
)
# What few random boards have: a slot that a lapsed holder has, alone and with others waiting.
@example([Entry("single", "lapsed", 0, 0, False)], set())
@example([Entry("single", "lapsed", 0, 0, False), Entry("single", "pending", 2, 0, False)], set())
@example([Entry("both", "lapsed", 0, 0, False), Entry("both", "pending", 0, 0, False)], set())
@example([Entry("fragile", "lapsed", 0, 1, False), Entry("fragile", "left", 1, 0, False)], set())
def test_what_is_shown_is_what_a_claim_finds(
    board_db: TestDb, entries: list[Entry], paused: set[str]
) -> None:
    with psycopg.connect(board_db.dsn) as board, board.transaction(force_rollback=True):
        for kind, (lapses, cap) in KINDS.items():
            board.execute(
                "SELECT board.configure_kind(%s, max_lapses => %s, max_in_progress => %s)",
                (kind, lapses, cap),
            )
        for entry in entries:
            _put(board, entry)
        for kind in paused:
            board.execute("SELECT board.pause('kind:' || %s::text, 'op')", (kind,))
        _compare(board)


def test_only_the_card_that_is_given_is_put_back(board_db: TestDb) -> None:
    """However many leases have lapsed, claim_escalated writes one of them down, the best."""
    board_db.owner.execute("SELECT board.configure_kind('fragile', max_lapses => 1)")
    for priority in range(50):
        board_db.owner.execute("SELECT board.enqueue('fragile', priority => %s)", (priority,))
    board_db.owner.execute("SELECT count(*) FROM board.claim('bot', max_tasks => 50)")
    board_db.age_lease(_column(board_db.owner, "SELECT t.id FROM board.tasks AS t"))
    given_out = board_db.rows(
        "SELECT c.priority, c.lapse_count FROM board.claim_escalated('a') AS c"
    )
    assert given_out == [(49, 1)]
    assert board_db.one("SELECT count(*) FROM board.tasks AS t WHERE t.lapse_count = 0") == 49
    assert board_db.one("SELECT count(*) FROM board.human_queue AS h") == 50
    assert board_db.rows("SELECT h.depth, h.human_queue FROM board.health AS h") == [(0, 49)]


def test_views_for_people_fit_110_columns(board_db: TestDb) -> None:
    """As psql prints them, with uuids, long payloads and reasons in them."""
    run = board_db.owner.execute
    for kind in ("send_invoice", "paused_kind", "throttled", "full"):
        for _ in range(2):
            run("SELECT board.enqueue(%s, jsonb_build_object('order', repeat('7', 99)))", (kind,))
    run("SELECT board.enqueue('send_invoice', needs => ARRAY[t.id]) FROM board.tasks AS t LIMIT 1")
    run("SELECT board.enqueue('send_invoice', run_at => clock_timestamp() + interval '99 days')")
    run("SELECT board.pause('kind:paused_kind', 'maria', repeat('a long reason ', 9))")
    run("SELECT board.configure_provider('payments_and_more')")
    run("SELECT board.configure_kind('throttled', provider => 'payments_and_more')")
    run("SELECT board.throttle('payments_and_more', retry_after => '1 hour')")
    run("SELECT board.configure_kind('full', max_in_progress => 1)")
    for row in run("SELECT c.id FROM board.claim('agent-7', kinds => '{full}') AS c").fetchall():
        progress = '{"at": "' + "x" * 99 + '"}'
        run("SELECT board.heartbeat(%s, 'agent-7', progress => %s)", (*row, progress))
    shown = board_db.rows("SELECT w.reason FROM board.waiting AS w ORDER BY w.reason, w.id")
    assert [row[0] for row in shown] == [
        *("at cap", "blocked", "paused", "paused", "scheduled", "throttled", "throttled")
    ]
    for view in ("queue", "waiting", "blocked", "active", "crash_loops"):
        answer = run(f"SELECT v.* FROM board.{view} AS v")
        rows = answer.fetchall()
        assert rows or view == "crash_loops"
        widths = [
            max(len(column.name), *(len(str(row[nr])) for row in rows), 0)
            if rows
            else (36 if column.name == "id" else len(column.name))
            for nr, column in enumerate(answer.description or ())
        ]
        # psql puts a blank on either side of each value and a bar between them.
        assert sum(widths) + 3 * len(widths) - 1 <= 110, (view, widths)
