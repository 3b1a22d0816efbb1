"""A lease and the wall clock: how long it lasts, and who has the task at the moment it ends."""

from __future__ import annotations

import random
import threading
import time
from datetime import datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from tests.support.testdb import Connection, TestDb


def enqueue(database: TestDb, kind: str = "work") -> UUID:
    task_id = database.one("SELECT board.enqueue(%s)", kind)
    assert isinstance(task_id, UUID)
    return task_id


def clock(connection: Connection) -> datetime:
    row = connection.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None
    assert isinstance(row[0], datetime)
    return row[0]


def test_lease_from_an_old_transaction(board_db: TestDb) -> None:
    """The transaction is older than the lease is long; the lease counts from the call."""
    task_id = enqueue(board_db)
    old = board_db.connect(autocommit=False)
    began = clock(old)
    time.sleep(1.2)
    before = clock(old)
    row = old.execute("SELECT c.leased_until FROM board.claim('A', '1 second') AS c").fetchone()
    after = clock(old)
    assert row is not None
    assert before - began > timedelta(seconds=1), "the transaction is not old enough to tell"
    assert before <= row[0] - timedelta(seconds=1) <= after
    # A heartbeat in the same old transaction moves it forward by the clock as well.
    beat = old.execute("SELECT board.heartbeat(%s, 'A', '1 second')", (task_id,)).fetchone()
    assert beat is not None
    assert after <= beat[0] - timedelta(seconds=1) <= clock(old)
    assert beat[0] > row[0]
    # A verb in it looks at the clock too: a second later the lease is over, here as everywhere.
    old.execute("SELECT pg_sleep(1.05)")
    with pytest.raises(psycopg.DatabaseError) as refused:
        old.execute("SELECT board.complete(%s, 'A')", (task_id,))
    assert refused.value.sqlstate == "TB001"


def sqlstate(connection: Connection, query: str, *arguments: object) -> str | None:
    try:
        connection.execute(query.encode(), arguments)
    except psycopg.DatabaseError as error:
        return error.sqlstate
    return None


@pytest.mark.parametrize("successor", ["B", "A"], ids=["another agent", "the same name"])
def test_after_takeover_the_previous_holder_is_refused(board_db: TestDb, successor: str) -> None:
    task_id = enqueue(board_db)
    agent = board_db.connect()
    agent.execute("SELECT board.claim('A')")
    board_db.age_lease(task_id)
    new = board_db.one("SELECT c.claim_count FROM board.claim(%s) AS c", successor)
    assert new == 2
    held = board_db.rows("SELECT t.* FROM board.tasks AS t")
    for verb in ("complete", "fail", "release", "escalate"):
        said = sqlstate(agent, f"SELECT board.{verb}(%s, 'A', attempt => 1)", task_id)
        assert (verb, said) == (verb, "TB001")
    beat = agent.execute("SELECT board.heartbeat(%s, 'A', attempt => 1)", (task_id,)).fetchone()
    assert beat == (None,)
    assert board_db.rows("SELECT t.* FROM board.tasks AS t") == held, "the new holder was touched"
    assert (
        board_db.one("SELECT board.complete(%s, %s, attempt => 2)", task_id, successor)
        == "completed"
    )
    assert board_db.events(task_id) == ["enqueued", "claimed", "expired", "claimed", "completed"]


def test_a_lapsed_lease_that_nobody_took(board_db: TestDb) -> None:
    task_id = enqueue(board_db)
    board_db.owner.execute("SELECT board.claim('A')")
    board_db.age_lease(task_id)
    assert board_db.one("SELECT board.heartbeat(%s, 'A')", task_id) is None
    with pytest.raises(psycopg.DatabaseError) as refused:
        board_db.owner.execute("SELECT board.complete(%s, 'A')", (task_id,))
    assert refused.value.sqlstate == "TB001"
    assert "claim_task" in (refused.value.diag.message_hint or "")
    assert board_db.one("SELECT c.claim_count FROM board.claim_task(%s, 'A') AS c", task_id) == 2
    assert board_db.one("SELECT board.complete(%s, 'A', attempt => 2)", task_id) == "completed"


def test_one_lapsed_task_of_high_priority_before_a_hundred_fresh_ones(board_db: TestDb) -> None:
    urgent = board_db.one("SELECT board.enqueue('work', priority => 9)")
    board_db.owner.execute("SELECT board.claim('A')")
    board_db.owner.execute("SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[100]))")
    board_db.age_lease(urgent)
    assert board_db.rows("SELECT c.id, c.claim_count FROM board.claim('B') AS c") == [(urgent, 2)]


def test_a_sweeper_that_stays_open_does_not_hide_what_else_has_lapsed(board_db: TestDb) -> None:
    """It has a whole batch of lapsed tasks locked; there is more than a batch."""
    board_db.owner.execute("SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[250]))")
    lost = board_db.rows("SELECT c.id FROM board.claim('A', max_tasks => 250) AS c")
    board_db.age_lease([row[0] for row in lost])
    sweeper = board_db.connect(autocommit=False)
    assert len(sweeper.execute("SELECT c.id FROM board.claim('B') AS c").fetchall()) == 1
    assert board_db.one("SELECT count(*) FROM board.claim('C', max_tasks => 200)") == 150
    sweeper.commit()
    assert board_db.one("SELECT count(*) FROM board.claim('C', max_tasks => 200)") == 99


def test_complete_against_claim_at_the_moment_of_lapse(board_db: TestDb) -> None:
    """200 rounds around the very instant; exactly one of the two has the task each time."""
    rounds = 200
    rng = random.Random(11)
    start, end = threading.Barrier(2), threading.Barrier(2)
    holder, rival = board_db.connect(), board_db.connect()
    tasks: list[tuple[UUID, float, float]] = []
    won_by_rival: list[bool] = []
    won_by_holder: list[bool] = []

    def wait_for_lapse(until: float) -> None:
        # The last stretch is spun: a sleep would not wake up to the fraction of a millisecond.
        while (left := until - time.time()) > 0:
            if left > 0.002:
                time.sleep(left - 0.002)

    def take_over() -> None:
        for _ in range(rounds):
            start.wait(60)
            task_id, lapse, _ = tasks[-1]
            wait_for_lapse(lapse)
            while True:
                got = rival.execute("SELECT c.id FROM board.claim('rival') AS c").fetchall()
                if got or status_of(rival, task_id) == "completed":
                    break
            won_by_rival.append(bool(got))
            end.wait(60)

    thread = threading.Thread(target=take_over)
    thread.start()
    try:
        for _ in range(rounds):
            holder.execute("SELECT board.enqueue('race')")
            row = holder.execute(
                "SELECT c.id, extract(epoch FROM c.leased_until)::float8"
                " FROM board.claim('holder', '12 milliseconds') AS c"
            ).fetchone()
            assert row is not None
            tasks.append((row[0], row[1], row[1] + rng.uniform(-0.002, 0.001)))
            start.wait(60)
            wait_for_lapse(tasks[-1][2])
            said = sqlstate(holder, "SELECT board.complete(%s, 'holder')", row[0])
            assert said in (None, "TB001")
            won_by_holder.append(said is None)
            end.wait(60)
            if said is not None:
                rival.execute("SELECT board.complete(%s, 'rival')", (row[0],))
    except BaseException:
        start.abort()
        end.abort()
        raise
    finally:
        thread.join(60)
    assert [a != b for a, b in zip(won_by_holder, won_by_rival, strict=True)] == [True] * rounds
    assert 0 < sum(won_by_holder) < rounds, "only one side ever won: this was no race"
    assert board_db.rows(
        "SELECT count(*), count(DISTINCT e.task_id) FROM board.task_events AS e"
        " WHERE e.type = 'completed'"
    ) == [(rounds, rounds)]


def status_of(connection: Connection, task_id: UUID) -> str:
    row = connection.execute(
        "SELECT t.status FROM board.tasks AS t WHERE t.id = %s", (task_id,)
    ).fetchone()
    assert row is not None
    return str(row[0])
