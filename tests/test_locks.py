"""Resource locks in many processes: no update lost, no lock leaked, none held for ever.

The tests that take a `door` run twice: straight to the server, and through PgBouncer in
transaction mode, where two statements of an agent may run on two server connections.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.support.pooler import pooled
from tests.support.testdb import TestDb
from tests.support.workers import crew

Connection = psycopg.Connection[tuple[Any, ...]]

PROCESSES = 8
TIMES = 500
SERVER_CONNECTIONS = 3
FENCE_STALE = "TB008"


@pytest.fixture(params=["direct", pytest.param("pgbouncer", marks=pytest.mark.pooler)])
def door(request: pytest.FixtureRequest, board_db: TestDb) -> Iterator[str]:
    """How the agents of a test reach the database."""
    if request.param == "direct":
        yield board_db.dsn
    else:
        with pooled(board_db.dsn, SERVER_CONNECTIONS) as dsn:
            yield dsn
            assert_nothing_leaked(board_db, dsn)


@pytest.fixture
def orders(board_db: TestDb) -> TestDb:
    """A table of the user's: one order, `n` to add to, `fence` its last writer's token."""
    board_db.owner.execute(
        "CREATE TABLE public.orders (id int PRIMARY KEY, n int NOT NULL, fence bigint NOT NULL)"
    )
    board_db.owner.execute("INSERT INTO public.orders VALUES (1, 0, 0)")
    return board_db


def connect(dsn: str) -> Connection:
    # No prepared statements: this PgBouncer gives each transaction another server connection.
    return psycopg.connect(dsn, autocommit=True, prepare_threshold=None)


def value(connection: Connection, query: str, *arguments: Any) -> Any:
    row = connection.execute(query.encode(), arguments or None).fetchone()
    assert row is not None
    return row[0]


def assert_nothing_leaked(db: TestDb, through: str) -> None:
    """The pooler's server connections are as they were when they were opened."""
    db.wait_for(
        "SELECT NOT EXISTS (SELECT FROM pg_stat_activity AS a WHERE a.datname = current_database()"
        " AND a.pid <> pg_backend_pid() AND a.state <> 'idle')"
    )
    locks = db.rows(
        "SELECT l.pid, l.locktype, l.mode FROM pg_locks AS l WHERE l.pid <> pg_backend_pid()"
        " AND l.database = (SELECT d.oid FROM pg_database AS d"
        " WHERE d.datname = current_database())"
    )
    assert locks == []
    usual = db.one("SELECT current_setting('lock_timeout') || current_setting('search_path')")

    def settings(_: int) -> Any:
        # Slow enough that each is given a server connection of its own.
        with connect(through) as connection:
            return value(
                connection,
                "SELECT current_setting('lock_timeout') || current_setting('search_path')"
                " FROM pg_sleep(0.05)",
            )

    with ThreadPoolExecutor(SERVER_CONNECTIONS) as threads:
        assert set(threads.map(settings, range(SERVER_CONNECTIONS))) == {usual}


# -- the lost update -----------------------------------------------------------------------------


def think() -> None:
    """What lies between reading and writing; an agent may take minutes."""
    time.sleep(0.0005)


def come_back_later() -> None:
    """A refused agent asks again at a time of its own."""
    time.sleep(random.uniform(0, 0.06))


def add_without_board(dsn: str, agent: str, times: int) -> Counter[str]:
    with connect(dsn) as connection:
        for _ in range(times):
            n = value(connection, "SELECT n FROM public.orders WHERE id = 1")
            think()
            connection.execute("UPDATE public.orders SET n = %s WHERE id = 1", (n + 1,))
    return Counter(added=times)


def add_with_lock_row(dsn: str, agent: str, times: int) -> Counter[str]:
    with connect(dsn) as connection:
        for _ in range(times):
            with connection.transaction():
                order = value(connection, "SELECT board.lock_row('public.orders', '1')")
                think()
                connection.execute(
                    "UPDATE public.orders SET n = %s WHERE id = 1", (order["n"] + 1,)
                )
    return Counter(added=times)


def add_with_try_lock(dsn: str, agent: str, times: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    with connect(dsn) as connection:
        while seen["added"] < times:
            with connection.transaction():
                got = value(connection, "SELECT board.try_lock('order_1')")
                if got:
                    n = value(connection, "SELECT n FROM public.orders WHERE id = 1")
                    think()
                    connection.execute("UPDATE public.orders SET n = %s WHERE id = 1", (n + 1,))
            seen["added" if got else "refused"] += 1
            if not got:
                come_back_later()
    return seen


def add_with_acquire_lock(dsn: str, agent: str, times: int, ttl: str, held: bool) -> Counter[str]:
    """Read and write in two transactions under one lock; the second is fenced."""
    seen: Counter[str] = Counter()
    with connect(dsn) as connection:
        while seen["added"] < times:
            token = value(
                connection,
                "SELECT board.acquire_lock('order_1', %s, %s::interval)",
                agent,
                ttl,
            )
            if token is None:
                seen["refused"] += 1
                come_back_later()
                continue
            n = value(connection, "SELECT n FROM public.orders WHERE id = 1")
            think()
            try:
                with connection.transaction():
                    connection.execute("SELECT board.check_lock('order_1', %s)", (token,))
                    written = connection.execute(
                        "UPDATE public.orders SET n = %s, fence = %s WHERE id = 1 AND fence < %s",
                        (n + 1, token, token),
                    )
                    # Given back together with the write, or not at all.
                    connection.execute(
                        "SELECT board.release_lock('order_1', %s, %s)", (agent, token)
                    )
                assert written.rowcount == 1, "a lower token after a higher one"
                seen["added"] += 1
            except psycopg.DatabaseError as error:
                if error.sqlstate != FENCE_STALE or held:
                    raise
                seen["stale"] += 1
    return seen


def add_up(
    door: str, orders: TestDb, work: Callable[..., Counter[str]], times: int, *more: Any
) -> tuple[int, Counter[str]]:
    """What eight processes that each add one that many times come to."""
    with crew(work, [(door, f"agent-{n}", times, *more) for n in range(PROCESSES)]) as agents:
        seen: Counter[str] = sum(agents.results(seconds=400), Counter())
    return orders.one("SELECT o.n FROM public.orders AS o"), seen


@pytest.mark.slow
def test_without_board_updates_are_lost(orders: TestDb) -> None:
    total, _ = add_up(orders.dsn, orders, add_without_board, TIMES)
    assert total < PROCESSES * TIMES


@pytest.mark.slow
def test_lock_row_loses_no_update(door: str, orders: TestDb) -> None:
    total, _ = add_up(door, orders, add_with_lock_row, TIMES)
    assert total == PROCESSES * TIMES


@pytest.mark.slow
def test_try_lock_loses_no_update(door: str, orders: TestDb) -> None:
    total, seen = add_up(door, orders, add_with_try_lock, TIMES)
    assert total == PROCESSES * TIMES
    assert seen["refused"] > 0, "the agents never met"


@pytest.mark.slow
def test_acquire_lock_and_check_lock_lose_no_update(door: str, orders: TestDb) -> None:
    total, seen = add_up(door, orders, add_with_acquire_lock, TIMES, "1 minute", True)
    assert total == PROCESSES * TIMES
    assert seen["refused"] > 0, "the agents never met"


@pytest.mark.slow
def test_agents_that_sleep_through_their_locks_lose_no_update(door: str, orders: TestDb) -> None:
    """Locks so short that they end while their holders think: only the fence is left."""
    total, seen = add_up(door, orders, add_with_acquire_lock, 50, "4 milliseconds", False)
    assert total == PROCESSES * 50
    assert seen["stale"] > 0, "no lock ended in time"


# -- the holder dies ---------------------------------------------------------------------------


def hold(dsn: str, agent: str) -> None:
    """Take the lock and never come back."""
    connection = connect(dsn)
    value(connection, "SELECT board.acquire_lock('order_1', %s, '2 seconds')", agent)
    time.sleep(600)


def hold_and_write(dsn: str, agent: str) -> None:
    """The same, in the middle of a write, with a lock within the transaction besides."""
    connection = connect(dsn)
    token = value(connection, "SELECT board.acquire_lock('order_1', %s, '2 seconds')", agent)
    with connection.transaction():
        connection.execute("SELECT board.check_lock('order_1', %s)", (token,))
        connection.execute("SELECT board.lock_row('public.orders', '1'), board.try_lock('other')")
        connection.execute("UPDATE public.orders SET n = 1000, fence = %s WHERE id = 1", (token,))
        connection.execute("CREATE TABLE public.halfway ()")
        time.sleep(600)


@pytest.mark.parametrize("work", [hold, hold_and_write])
def test_the_lock_of_a_killed_holder_ends_by_itself(
    door: str, orders: TestDb, work: Callable[..., None]
) -> None:
    with crew(work, [(door, "dead")]) as agents:
        orders.wait_for("SELECT EXISTS (SELECT FROM board.locks_held)")
        if work is hold_and_write:
            orders.wait_for(
                "SELECT EXISTS (SELECT FROM pg_stat_activity AS a"
                " WHERE a.datname = current_database() AND a.state = 'idle in transaction'"
                " AND a.query LIKE 'CREATE TABLE public.halfway%%')",
                seconds=10,
            )
        agents.processes[0].kill()
        [(token, until)] = orders.rows("SELECT l.token, l.held_until FROM board.locks AS l")
    other = connect(door)
    refused = 0
    while (taken := value(other, "SELECT board.acquire_lock('order_1', 'next')")) is None:
        refused += 1
        time.sleep(0.01)
    assert refused > 0
    assert taken > token
    [(acquired_at, n)] = orders.rows(
        "SELECT l.acquired_at, o.n FROM board.locks AS l, public.orders AS o"
    )
    assert 0 <= (acquired_at - until).total_seconds() < 2, (
        "free neither before its time nor long after"
    )
    assert n == 0, "the write of the dead has gone with its transaction"
    assert value(other, "SELECT board.try_lock('other')"), "and so has its lock"
    with pytest.raises(psycopg.DatabaseError) as refusal, other.transaction():
        other.execute("SELECT board.check_lock('order_1', %s)", (token,))
    assert refusal.value.sqlstate == FENCE_STALE
    with other.transaction():
        other.execute("SELECT board.check_lock('order_1', %s)", (taken,))
    other.close()


# -- many locks --------------------------------------------------------------------------------


@pytest.mark.slow
def test_40_000_locks_at_once(board_db: TestDb) -> None:
    """Half of them in one transaction: rows, so that no memory of the server bounds them."""
    query = (
        "SELECT count(board.acquire_lock('r' || n, %s)) FROM generate_series(%s::int, %s::int) AS n"
    )
    one, many = board_db.connect(autocommit=False), board_db.connect()
    assert value(one, query, "one", 1, 20_000) == 20_000
    assert board_db.one(
        "SELECT count(*) < 50 FROM pg_locks AS l WHERE l.pid = %s", one.info.backend_pid
    )
    one.commit()
    for start in range(20_001, 40_001, 1_000):
        assert value(many, query, "many", start, start + 999) == 1_000
    [(held, tokens)] = board_db.rows(
        "SELECT count(*), count(DISTINCT h.token) FROM board.locks_held AS h"
    )
    assert (held, tokens) == (40_000, 40_000)
    # Each is refused to others,
    assert value(many, query, "many", 1, 20_000) == 0
    # as an index finds it.
    board_db.owner.execute("ANALYZE board.locks")
    plan = board_db.rows("EXPLAIN SELECT FROM board.locks AS l WHERE l.resource = 'r1' FOR UPDATE")
    assert "Index Scan using locks_pkey" in str(plan)


def test_a_table_that_grew_is_not_read_from_end_to_end(board_db: TestDb) -> None:
    """Plans are kept for the session: one made for a table of one page must do for a large one."""
    session = board_db.connect()
    query = "SELECT count(board.acquire_lock(%s || n, 'a')) FROM generate_series(1, %s::int) AS n"
    value(session, query, "few", 20)
    session.execute("VACUUM ANALYZE board.locks")
    value(session, query, "first", 50)
    scans = (
        "SELECT s.seq_scan FROM pg_stat_force_next_flush(), pg_stat_user_tables AS s"
        " WHERE s.relid = 'board.locks'::regclass"
    )
    session.execute("SELECT pg_stat_force_next_flush()")
    before = value(session, scans)
    value(session, query, "more", 500)
    session.execute("SELECT pg_stat_force_next_flush()")
    assert value(session, scans) == before


def test_names_that_share_a_hashtext_are_independent(board_db: TestDb) -> None:
    a, b = board_db.connect(autocommit=False), board_db.connect(autocommit=False)
    assert board_db.one("SELECT hashtext('task:25796') = hashtext('task:126210')")
    assert value(a, "SELECT board.try_lock('task:25796')")
    assert value(b, "SELECT board.try_lock('task:126210')")
    a.rollback()
    b.rollback()
    board_db.owner.execute(
        "CREATE TABLE public.names AS SELECT 'task:' || n AS name FROM"
        " (VALUES (25796), (126210)) AS v (n)"
    )
    board_db.owner.execute("ALTER TABLE public.names ADD PRIMARY KEY (name)")
    query = "SELECT board.lock_row('public.names', %s, wait => false)"
    assert value(a, query, "task:25796") == {"name": "task:25796"}
    assert value(b, query, "task:126210") == {"name": "task:126210"}
    assert value(a, "SELECT board.acquire_lock('task:25796', 'a')") is not None
    assert value(b, "SELECT board.acquire_lock('task:126210', 'b')") is not None


def test_any_text_is_a_name(board_db: TestDb) -> None:
    """Random text of all planes: what is taken under it is what is held, renewed and released."""
    rng = random.Random(7)
    ranges = [
        (0x20, 0x7E),
        (0xA0, 0x2FF),
        (0x300, 0x36F),
        (0x4E00, 0x9FFF),
        (0x1F300, 0x1FAFF),
    ]
    for _ in range(300):
        name = "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(rng.randint(1, 200)))
        # What nobody sees is in no name: a soft hyphen, a joiner.
        name = name.translate({0xAD: "-", 0x34F: "+"})
        token = value(board_db.owner, "SELECT board.acquire_lock(%s, 'a')", name)
        assert value(board_db.owner, "SELECT board.acquire_lock(%s, 'b')", name) is None
        held = board_db.one("SELECT h.token FROM board.locks_held AS h WHERE h.resource = %s", name)
        assert held == token
        assert value(board_db.owner, "SELECT board.renew_lock(%s, 'a', %s)", name, token)
        assert value(board_db.owner, "SELECT board.release_lock(%s, 'a', %s)", name, token)
        with board_db.owner.transaction():
            assert value(board_db.owner, "SELECT board.try_lock(%s)", name)


# -- several at once ---------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["new", "free"])
def test_opposite_orders_never_deadlock(board_db: TestDb, state: str) -> None:
    """Two transactions take r1, r2 and r2, r1: a refusal after a moment, never a deadlock."""
    rounds = 15
    a, b = board_db.connect(autocommit=False), board_db.connect(autocommit=False)
    seen: Counter[tuple[bool, bool]] = Counter()
    barrier = threading.Barrier(2)

    def both(connection: Connection, agent: str, resources: list[str]) -> list[bool]:
        query = "SELECT board.acquire_lock(%s, %s) IS NOT NULL"
        first = value(connection, query, resources[0], agent)
        barrier.wait(20)
        second = value(connection, query, resources[1], agent)
        barrier.wait(20)
        connection.rollback()
        return [first, second]

    with ThreadPoolExecutor(2) as threads:
        for number in range(rounds):
            names = [f"{number}-r1", f"{number}-r2"]
            if state == "free":
                for name in names:
                    token = value(board_db.owner, "SELECT board.acquire_lock(%s, 'x')", name)
                    value(
                        board_db.owner,
                        "SELECT board.release_lock(%s, 'x', %s)",
                        name,
                        token,
                    )
            started = time.monotonic()
            one = threads.submit(both, a, "a", names)
            two = threads.submit(both, b, "b", names[::-1])
            (first_a, second_a), (first_b, second_b) = one.result(30), two.result(30)
            assert first_a
            assert first_b
            assert time.monotonic() - started < 5
            seen[second_a, second_b] += 1
    assert seen[True, True] == 0, "one resource, two holders"
    assert seen.total() == rounds


def test_a_wait_for_a_name_makes_nobody_else_a_victim(orders: TestDb) -> None:
    """a has a new name and waits for b's row; b wants the name.

    The wait that would close the circle is acquire_lock's. It is over long before PostgreSQL looks
    for deadlocks, and might find one in a statement that has nothing to do with the board.
    """
    a, b = orders.connect(autocommit=False), orders.connect(autocommit=False)
    b.execute("UPDATE public.orders SET n = n + 1 WHERE id = 1")
    assert value(a, "SELECT board.acquire_lock('name', 'a')") is not None
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(a.execute, "UPDATE public.orders SET n = n + 1 WHERE id = 1")
        orders.wait_until_blocked(a, by=b)
        assert value(b, "SELECT board.acquire_lock('name', 'b')") is None
        b.commit()
        waiting.result(30)
    a.commit()
    assert orders.one("SELECT o.n FROM public.orders AS o") == 2


def test_a_new_name_has_one_first_holder(board_db: TestDb) -> None:
    """Eight sessions want a name that nobody used before, at once: one gets it, none an error."""
    sessions = [board_db.connect() for _ in range(PROCESSES)]
    barrier = threading.Barrier(PROCESSES)

    def want(number: int, name: str) -> Any:
        barrier.wait(20)
        return value(
            sessions[number],
            "SELECT board.acquire_lock(%s, %s)",
            name,
            f"agent-{number}",
        )

    with ThreadPoolExecutor(PROCESSES) as threads:
        for turn in range(100):
            wanted = [threads.submit(want, n, f"name-{turn}") for n in range(PROCESSES)]
            given = [one.result(30) for one in wanted]
            assert sum(token is not None for token in given) == 1


def test_a_sweep_in_an_open_transaction_holds_nobody_up_for_long(
    board_db: TestDb,
) -> None:
    """What another transaction sweeps away: refused after a moment, given when that ends."""
    board_db.owner.execute(
        "SELECT count(board.acquire_lock('old' || n, 'x')) FROM generate_series(1, 4) AS n"
    )
    board_db.owner.execute("UPDATE board.locks SET held_until = held_until - interval '1 hour'")
    sweeper = board_db.connect(autocommit=False)
    agent = board_db.connect(options="-c statement_timeout=10s")
    assert value(sweeper, "SELECT board.acquire_lock('new', 'sweeper')") is not None
    assert value(sweeper, "SELECT count(*) FROM board.locks") == 1
    started = time.monotonic()
    assert value(agent, "SELECT board.acquire_lock('old1', 'agent')") is None
    assert time.monotonic() - started < 1
    sweeper.commit()
    assert value(agent, "SELECT board.acquire_lock('old1', 'agent')") is not None
