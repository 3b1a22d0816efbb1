"""The feed: every committed event once, whoever else writes, holds or forgets a transaction."""

from __future__ import annotations

import random
import threading
import time
from typing import Any, LiteralString

import psycopg

from tests.support.testdb import Connection, TestDb, create_database, drop_database
from tests.support.workers import crew

READ: LiteralString = (
    "SELECT f.cursor, f.seq, f.type,"
    " extract(epoch FROM clock_timestamp() - f.created_at)::float8"
    " FROM board.events_since(%s, %s) AS f"
)


def latest(connection: Connection) -> str:
    row = connection.execute("SELECT board.latest_cursor()").fetchone()
    assert row is not None
    return str(row[0])


class Reader:
    """A feed reader with a cursor; keeps what it saw and how old it was."""

    def __init__(self, connection: Connection, page: int = 1000) -> None:
        self.connection = connection
        self.page = page
        self.cursor = latest(connection)
        self.seen: list[int] = []
        self.ages: list[float] = []
        self.polls: list[float] = []

    def read(self) -> int:
        began = time.perf_counter()
        rows: list[tuple[Any, ...]] = self.connection.execute(
            READ, (self.cursor, self.page)
        ).fetchall()
        self.polls.append(time.perf_counter() - began)
        for cursor, seq, kind, age in rows:
            assert kind != "resync"
            self.cursor = cursor
            self.seen.append(seq)
            self.ages.append(age)
        return len(rows)

    def read_all(self) -> None:
        while self.read():
            pass


def write(dsn: str, number: int, seconds: float) -> int:
    """Transactions of 0 to 30 ms, each with an event at its start and one at its end."""
    rng = random.Random(number)
    written = 0
    until = time.monotonic() + seconds
    with psycopg.connect(dsn) as connection:
        while time.monotonic() < until:
            connection.execute("SELECT board.enqueue('feed')")
            connection.execute("SELECT pg_sleep(%s)", (rng.uniform(0, 0.03),))
            if rng.random() < 0.1:
                connection.rollback()
                continue
            connection.execute("SELECT board.enqueue('feed')")
            connection.commit()
            written += 2
    return written


def test_sixteen_writers_a_held_writer_elsewhere_and_an_orphan(board_db: TestDb) -> None:
    """Every event once, none lost, less than a second late.

    For four seconds a writer of another database of the cluster is open, and a prepared transaction
    that nobody remembers is there throughout: a feed that waited for the oldest writer of the
    cluster would stand still behind both.
    """
    reader = Reader(board_db.connect(), page=500)
    elsewhere = create_database(board_db.server, "elsewhere")
    held = psycopg.connect(board_db.server.database(elsewhere))
    held.execute("CREATE TABLE public.held ()")
    orphan = board_db.connect(autocommit=False)
    orphan.execute("CREATE TABLE public.orphan ()")
    orphan.execute(f"PREPARE TRANSACTION '{board_db.name}'".encode())
    orphan.rollback()
    try:
        with crew(write, [(board_db.dsn, n, 6) for n in range(16)]) as writers:
            began: float | None = None
            while any(process.is_alive() for process in writers.processes):
                if reader.read() and began is None:
                    began = time.monotonic()
                if began is not None and time.monotonic() > began + 4 and not held.closed:
                    held.rollback()
                    held.close()
                time.sleep(0.01)
            written = sum(writers.results())
        reader.read_all()
    finally:
        held.close()
        board_db.owner.execute(f"ROLLBACK PREPARED '{board_db.name}'".encode())
        drop_database(board_db.server, elsewhere)
    committed = [
        row[0] for row in board_db.rows("SELECT e.seq FROM board.task_events AS e ORDER BY 1")
    ]
    assert len(committed) == written
    assert written > 500, "hardly anything was written"
    assert len(reader.seen) == len(set(reader.seen)), "an event came twice"
    assert sorted(reader.seen) == committed
    assert reader.seen != committed, "everything came in seq order: the writers never overlapped"
    assert max(reader.ages) < 1.0, f"the slowest event was {max(reader.ages):.3f} s late"


def test_pages_of_one_snapshot_are_in_order_and_complete(board_db: TestDb) -> None:
    reader = Reader(board_db.connect(), page=7)
    board_db.owner.execute("SELECT board.enqueue_many('feed', array_fill('{}'::jsonb, ARRAY[50]))")
    assert reader.read() == 7
    # What is written between two pages comes after them.
    board_db.owner.execute("SELECT board.enqueue('feed')")
    reader.read_all()
    assert reader.seen == [
        row[0] for row in board_db.rows("SELECT e.seq FROM board.task_events AS e ORDER BY 1")
    ]


def test_an_empty_poll_keeps_the_cursor_and_nothing_is_lost_by_it(board_db: TestDb) -> None:
    reader = Reader(board_db.connect())
    writer = board_db.connect(autocommit=False)
    writer.execute("SELECT board.enqueue('feed')")
    assert reader.read() == 0
    assert reader.read() == 0
    writer.commit()
    assert reader.read() == 1
    assert reader.read() == 0


def test_own_uncommitted_events_are_left_out_and_come_later(board_db: TestDb) -> None:
    """The caller's transaction is open in its own cursor too."""
    board_db.owner.execute("SELECT board.configure_kind('feed')")
    both = board_db.connect(autocommit=False)
    cursor = latest(both)
    both.execute("SELECT board.enqueue('feed')")
    board_db.owner.execute("SELECT board.enqueue('feed')")
    rows = both.execute(READ, (cursor, 100)).fetchall()
    assert len(rows) == 1
    both.commit()
    rows = both.execute(READ, (rows[-1][0], 100)).fetchall()
    assert len(rows) == 1


def test_a_savepoint_that_was_undone_is_not_seen(board_db: TestDb) -> None:
    reader = Reader(board_db.connect())
    writer = board_db.connect(autocommit=False)
    writer.execute("SELECT board.enqueue('feed')")
    writer.execute("SAVEPOINT s")
    writer.execute("SELECT board.enqueue('feed')")
    writer.execute("ROLLBACK TO SAVEPOINT s")
    writer.execute("SELECT board.enqueue('feed')")
    writer.commit()
    assert reader.read() == 2


def test_several_readers_see_the_same(board_db: TestDb) -> None:
    readers = [Reader(board_db.connect(), page=page) for page in (1, 3, 1000)]
    done = threading.Event()

    def poll(reader: Reader) -> None:
        while not done.is_set():
            reader.read()
        reader.read_all()

    threads = [threading.Thread(target=poll, args=(reader,)) for reader in readers]
    for thread in threads:
        thread.start()
    with crew(write, [(board_db.dsn, n, 1.5) for n in range(4)]) as writers:
        written = sum(writers.results())
    done.set()
    for thread in threads:
        thread.join(60)
    assert [len(reader.seen) for reader in readers] == [written] * 3
    assert len({tuple(sorted(reader.seen)) for reader in readers}) == 1


def test_a_poll_is_quick_on_a_long_log(board_db: TestDb) -> None:
    """100,000 old events make neither an empty poll nor a page dearer."""
    # Written by hand: depth 0 is no news to anybody.
    board_db.owner.execute(
        "INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt)"
        " SELECT gen_random_uuid(), 'feed', 'enqueued', 'A', 'a', 0 FROM generate_series(1, 100000)"
    )
    board_db.owner.execute("ANALYZE board.task_events")
    reader = Reader(board_db.connect(), page=100)
    for _ in range(20):
        board_db.owner.execute("SELECT board.enqueue('feed')")
        reader.read()
        reader.read()
    assert len(reader.seen) == 20
    typical = sorted(reader.polls)[len(reader.polls) // 2]
    assert typical < 0.05, f"a poll takes {typical * 1000:.0f} ms"


def touched(connection: Connection, cursor: str, page: int) -> tuple[int, int]:
    """How many events one read returns, and how many blocks it touches."""
    row = connection.execute(
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT f.seq FROM board.events_since(%s, %s) AS f",
        (cursor, page),
    ).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    return plan["Actual Rows"], plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def test_a_poll_is_quick_beside_a_great_open_transaction(board_db: TestDb) -> None:
    """What another transaction has written and not committed costs a reader nothing."""
    board_db.owner.execute("ANALYZE board.task_events")
    loader = board_db.connect(autocommit=False)
    loader.execute(
        "INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt)"
        " SELECT gen_random_uuid(), 'feed', 'enqueued', 'A', 'a', 0 FROM generate_series(1, 20000)"
    )
    board_db.owner.execute("SELECT board.enqueue('feed')")
    reader = Reader(board_db.owner)
    touched(board_db.owner, reader.cursor, 100)  # fills the session's caches
    rows, blocks = touched(board_db.owner, reader.cursor, 100)
    assert (rows, blocks < 100) == (0, True), f"{blocks} blocks for an empty poll"
    loader.rollback()


def test_the_last_page_of_a_late_transaction_does_not_walk_the_log(board_db: TestDb) -> None:
    """A transaction that wrote much, long ago, commits: what came after it was delivered before."""
    written = (
        "INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt)"
        " SELECT gen_random_uuid(), 'feed', 'enqueued', 'A', 'a', 0 FROM generate_series(1, {})"
    )
    late = board_db.connect(autocommit=False)
    late.execute(written.format(1500).encode())
    board_db.owner.execute(written.format(50000).encode())
    reader = Reader(board_db.connect(), page=100)
    late.commit()
    board_db.owner.execute("ANALYZE board.task_events")
    while len(reader.seen) < 1400:
        reader.read()
    rows, blocks = touched(board_db.owner, reader.cursor, 100)
    assert (rows, blocks < 2000) == (100, True), f"{blocks} blocks for the last page"
