"""prune and prune_events: what is dropped, what is left alone, which cursors learn of it."""

from __future__ import annotations

from tests.support.testdb import TestDb

EVENTS = "SELECT f.cursor, f.seq, f.type FROM board.events_since(%s, %s) AS f"


def write_event(db: TestDb, age: str) -> None:
    """An event of that age: written so, for an UPDATE would give it this transaction."""
    db.owner.execute(
        "INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, created_at)"
        " VALUES (gen_random_uuid(), 'k', 'enqueued', 'a', 'a', 0,"
        " clock_timestamp() - %s::interval)",
        (age,),
    )


def test_old_events_go_and_cursors_from_before_resync(board_db: TestDb) -> None:
    owner = board_db.owner
    owner.execute("SELECT board.configure(retain_events => '1 day')")
    before = owner.execute("SELECT board.latest_cursor()").fetchone()
    assert before is not None
    for age in ["2 days"] * 8 + ["1 hour"] * 2:
        write_event(board_db, age)
    page = owner.execute(EVENTS, (before[0], 3)).fetchall()
    tip = owner.execute(EVENTS, (before[0], 100)).fetchall()[-1][0]
    assert owner.execute("SELECT board.prune_events(5)").fetchone() == (5,)
    assert owner.execute("SELECT board.prune_events()").fetchone() == (3,)
    assert owner.execute("SELECT board.prune_events()").fetchone() == (0,)

    # Nothing was delivered under this cursor yet, or only part of what is gone: resync.
    for cursor in (before[0], page[-1][0]):
        rows = owner.execute(EVENTS, (cursor, 100)).fetchall()
        assert [row[1:] for row in rows] == [(None, "resync")]
        assert owner.execute(EVENTS, (rows[0][0], 100)).fetchall() == []
    # A reader that had all of it goes on; one that begins anew begins with the first kept.
    assert owner.execute(EVENTS, (tip, 100)).fetchall() == []
    owner.execute("SELECT board.enqueue('new')")
    assert [row[1] for row in owner.execute(EVENTS, (tip, 100)).fetchall()] == [11]
    assert [row[1] for row in owner.execute(EVENTS, (None, 100)).fetchall()] == [9, 10, 11]
    first = owner.execute(EVENTS, (None, 1)).fetchall()[0][0]
    assert [row[1] for row in owner.execute(EVENTS, (first, 100)).fetchall()] == [10, 11]


def test_a_prune_stops_at_the_first_young_event(board_db: TestDb) -> None:
    owner = board_db.owner
    owner.execute("SELECT board.configure(retain_events => '1 day')")
    for age in ("2 days", "2 days", "1 hour", "2 days"):
        write_event(board_db, age)
    assert owner.execute("SELECT board.prune_events()").fetchone() == (2,)
    assert owner.execute("SELECT min(seq) FROM board.task_events").fetchone() == (3,)


def test_a_transaction_that_stays_open_does_not_mean_resync_for_ever(board_db: TestDb) -> None:
    """One that is open since before the pruned events, here an orphaned prepared one."""
    owner = board_db.owner
    orphan = board_db.connect(autocommit=False)
    orphan.execute("CREATE TABLE public.orphan ()")
    orphan.execute(f"PREPARE TRANSACTION '{board_db.name}'".encode())
    orphan.rollback()
    try:
        owner.execute("SELECT board.configure(retain_events => '1 day')")
        write_event(board_db, "2 days")
        old = board_db.one("SELECT board.latest_cursor()")
        write_event(board_db, "2 days")
        assert owner.execute("SELECT board.prune_events()").fetchone() == (2,)
        rows = owner.execute(EVENTS, (old, 100)).fetchall()
        assert [row[2] for row in rows] == ["resync"], "it missed the second event"
        owner.execute("SELECT board.enqueue('new')")
        assert [row[2] for row in owner.execute(EVENTS, (rows[0][0], 100))] == ["enqueued"]
    finally:
        owner.execute(f"ROLLBACK PREPARED '{board_db.name}'".encode())
    # Over now: whether it wrote anything that was pruned is not known.
    rows = owner.execute(EVENTS, (rows[0][0], 100)).fetchall()
    assert [row[2] for row in rows] == ["resync"]
    assert owner.execute(EVENTS, (rows[0][0], 100)).fetchall() == []


def test_a_horizon_from_a_dump_does_not_hide_the_feed(board_db: TestDb) -> None:
    """The old cluster was at a higher transaction than the one that the dump is restored into."""
    owner = board_db.owner
    before = board_db.one("SELECT board.latest_cursor()")
    owner.execute("INSERT INTO board.event_horizon VALUES (true, 5, '99999999999')")
    assert [row[2] for row in owner.execute(EVENTS, (before, 100))] == ["resync"]
    after = board_db.one("SELECT board.latest_cursor()")
    owner.execute("SELECT board.enqueue('new')")
    assert [row[2] for row in owner.execute(EVENTS, (after, 100))] == ["enqueued"]


def test_prune_leaves_a_task_alone_that_is_being_replayed(board_db: TestDb) -> None:
    """It neither waits for the replay nor takes the task away from it."""
    owner = board_db.owner
    task_id = board_db.one("SELECT board.enqueue('work')")
    owner.execute("SELECT board.cancel(%s, 'olga')", (task_id,))
    replayer = board_db.connect(autocommit=False)
    replayer.execute("SELECT board.replay(%s, 'olga')", (task_id,))
    owner.execute("SET lock_timeout = '2s'")
    assert board_db.one("SELECT board.prune('0')") == 0
    replayer.commit()
    assert board_db.status(task_id) == "pending"
