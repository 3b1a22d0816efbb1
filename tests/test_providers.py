"""Budgets of providers: exact in every window, under any number of sessions, in no claim's way.

The budget's algorithm is asked for an answer at a moment that the test names
(`board._grant_or_wait`, which `take` calls with the clock), and its answers are compared with a
simulation that keeps every single call. The rest uses the public functions and the real clock; what
must be old is aged by the owner.
"""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.sources import SQL
from tests.support.testdb import Connection, TestDb

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR
EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
START = 1_772_323_200 * SECOND  # 2026-03-01, any day would do


# -- an exact simulation ---------------------------------------------------------------------------


@dataclass
class Limit:
    """One limit, and every call that was granted under it, one by one: when, and how much."""

    period: int
    max_units: int
    unit: str = "call"
    calls: list[tuple[int, int]] = field(default_factory=list)

    @property
    def sub_window(self) -> int:
        return -(-self.period // 64)

    def free_at(self, now: int, cost: int) -> int:
        """The first moment from `now` on with room in the current sub-window and the 64 before."""
        current = now // self.sub_window
        recent = [
            (at // self.sub_window, spent)
            for at, spent in self.calls
            if at // self.sub_window >= current - 64
        ]
        used = sum(spent for _, spent in recent)
        if used + cost <= self.max_units:
            return now
        for index, spent in sorted(recent):
            used -= spent
            if used + cost <= self.max_units:
                return (index + 65) * self.sub_window
        raise AssertionError("a cost above the limit")

    def used_at(self, now: int) -> int:
        """What was granted within less than a period up to `now`."""
        return sum(spent for at, spent in self.calls if now - self.period < at <= now)

    def most_in_a_window(self) -> int:
        """The most that was granted within less than a period, wherever it begins."""
        most, begin, inside = 0, 0, 0
        calls = sorted(self.calls)
        for at, spent in calls:
            inside += spent
            while calls[begin][0] <= at - self.period:
                inside -= calls[begin][1]
                begin += 1
            most = max(most, inside)
        return most


@dataclass
class Budget:
    """The board's answers at moments of our choosing, in batches of one transaction each."""

    database: TestDb
    session: Connection

    @classmethod
    def of(cls, database: TestDb, limits: list[Limit], zone: str = "UTC") -> Budget:
        database.one("SELECT (board.configure_provider('acme')).name")
        for limit in limits:
            database.one(
                "SELECT (board.set_limit('acme', %s, %s, %s)).max_units",
                timedelta(microseconds=limit.period),
                limit.max_units,
                limit.unit,
            )
        session = database.connect()
        session.execute("SELECT set_config('TimeZone', %s, false)", (zone,))
        return cls(database, session)

    def ask(self, asked: list[tuple[int, int]]) -> Iterator[int | None]:
        """Microseconds to wait for each (moment, cost) in turn; None: granted."""
        for begin in range(0, len(asked), 250):
            batch = asked[begin : begin + 250]
            rows = self.session.execute(
                """
                SELECT g.granted, (extract(epoch FROM g.retry_after) * 1000000)::bigint
                  FROM board._budgets_for_update('acme', '', '{call}') AS l
                 CROSS JOIN ROWS FROM (unnest(%s::bigint[]), unnest(%s::int[]))
                       WITH ORDINALITY AS a (at, cost, turn)
                 CROSS JOIN LATERAL board._grant_or_wait('acme', '',
                       jsonb_build_object('call', a.cost), l.units, l.periods,
                       to_timestamp(0) + a.at * interval '1 microsecond') AS g
                 ORDER BY a.turn
                """,
                ([at for at, _ in batch], [cost for _, cost in batch]),
            ).fetchall()
            for granted, wait in rows:
                assert granted == (wait is None), (
                    "a refusal says how long to wait, a grant does not"
                )
                yield wait

    def ask_once(self, at: int, cost: int) -> int | None:
        """The answer at that moment, and nothing is kept of it."""
        with self.session.transaction(force_rollback=True):
            return next(self.ask([(at, cost)]))


def moments(rng: random.Random, limits: list[Limit], number: int) -> list[int]:
    """Random moments that look for trouble: bursts, rests, and the edges of windows."""
    now = START + rng.randrange(DAY)
    found: list[int] = []
    while len(found) < number:
        limit = rng.choice(limits)
        step = limit.sub_window
        now += rng.choice(
            [
                0,
                1,
                int(rng.expovariate(limit.max_units / limit.period)),
                int(rng.expovariate(2 * limit.max_units / limit.period)),
                step - now % step,
                step - now % step - 1,
                63 * step,
                64 * step - 1,
                64 * step,
                limit.period - 1,
                limit.period,
            ]
        )
        found += [now] * rng.choice([1, 1, 1, 2, min(limit.max_units, 40)])
    return found[:number]


LIMITS = {
    "1 per 100 ms": [(SECOND // 10, 1)],
    "1 per day": [(DAY, 1)],
    "3 per second": [(SECOND, 3)],
    "1000 per 100 ms": [(SECOND // 10, 1000)],
    "100 per minute": [(60 * SECOND, 100)],
    "1000 per day": [(DAY, 1000)],
    "7 per odd microseconds": [(1_000_003, 7)],
    "10 per second and 1000 per day": [(SECOND, 10), (DAY, 1000)],
    "three at once": [(SECOND, 5), (60 * SECOND, 60), (HOUR, 100)],
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", LIMITS)
def test_no_window_has_more_than_its_limit(board_db: TestDb, name: str, seed: int) -> None:
    """Random calls: answers as simulated, no window overfull, waits exactly long enough."""
    rng = random.Random(f"{name} {seed}")
    limits = [Limit(period, max_units) for period, max_units in LIMITS[name]]
    budget = Budget.of(board_db, limits)
    dearest = min(limit.max_units for limit in limits)
    asked = [
        (at, rng.choice([1, 1, 1, rng.randint(1, dearest)])) for at in moments(rng, limits, 900)
    ]
    refused = []
    for (at, cost), wait in zip(asked, budget.ask(asked), strict=True):
        free_at = max(limit.free_at(at, cost) for limit in limits)
        assert (0 if wait is None else wait) == free_at - at
        if wait is None:
            for limit in limits:
                limit.calls.append((at, cost))
        else:
            refused.append((at, cost, wait))
    assert len(refused) > 50, "the moments are too far apart to show anything"
    for limit in limits:
        assert limit.most_in_a_window() <= limit.max_units
    # What the last refusal promised: not a microsecond sooner, and not later.
    last = asked[-1][0]
    cost = dearest
    wait = budget.ask_once(last, cost)
    if wait is not None:
        assert budget.ask_once(last + wait - 1, cost) == 1
        assert budget.ask_once(last + wait, cost) is None


@pytest.mark.parametrize("max_units", [20, 21, 33, 64, 65, 100, 1000])
def test_a_steady_caller_gets_its_rate(board_db: TestDb, max_units: int) -> None:
    """Whoever calls as often as is allowed, evenly, is granted 95 % of it."""
    limit = Limit(60 * SECOND, max_units)
    number = max(6 * max_units, 400)
    start = START + 123_456
    asked = [(start + turn * limit.period // max_units, 1) for turn in range(number)]
    granted = sum(wait is None for wait in Budget.of(board_db, [limit]).ask(asked))
    assert granted >= 0.95 * number


def test_a_patient_caller_gets_its_rate(board_db: TestDb) -> None:
    """Whoever waits as told is granted 64 of 65 parts of the limit, be it one call."""
    limit = Limit(64 * SECOND, 1)
    budget = Budget.of(board_db, [limit])
    now, granted = START, 0
    while granted < 20:
        wait = next(budget.ask([(now, 1)]))
        if wait is None:
            granted += 1
        now += wait or 0
    assert now - START <= 19 * 65 * SECOND


def test_a_clock_that_steps_back_is_not_believed(board_db: TestDb) -> None:
    """The clock is put back again and again: no window of true time overflows."""
    rng = random.Random(4)
    limit = Limit(SECOND, 10)
    budget = Budget.of(board_db, [limit])
    now, clock = START, START
    asked, true_times = [], []
    for _ in range(1500):
        passed = rng.choice([0, 1, limit.sub_window, SECOND // 10, SECOND // 3])
        now += passed
        clock += passed
        if rng.random() < 0.05:
            clock -= rng.choice([1, limit.sub_window, SECOND, HOUR])
        true_times.append(now)
        asked.append((clock, rng.randint(1, 3)))
    granted = 0
    for now, (_, cost), wait in zip(true_times, asked, budget.ask(asked), strict=True):
        if wait is None:
            limit.calls.append((now, cost))
            granted += cost
    assert limit.most_in_a_window() <= limit.max_units
    assert granted > 0.3 * limit.max_units * (true_times[-1] - START) / limit.period


def test_a_clock_put_right_after_a_year_costs_nothing(board_db: TestDb) -> None:
    """Takes at a moment that was wrong by a year do not keep the budget spent for a year."""
    limit = Limit(60 * SECOND, 2)
    budget = Budget.of(board_db, [limit])
    assert list(budget.ask([(START + 365 * DAY, 2)])) == [None]
    waits = list(budget.ask([(START, 1)]))
    assert waits[0] is not None
    assert waits[0] <= 65 * limit.sub_window
    assert list(budget.ask([(START + waits[0], 2)])) == [None]


@pytest.mark.parametrize(
    "change",
    ["2026-03-29T01:00:00+00:00", "2026-10-25T01:00:00+00:00", "2026-07-01T22:00:00+00:00"],
)
def test_midnight_and_summer_time_do_nothing(board_db: TestDb, change: str) -> None:
    """A session where clocks change, or a day begins, is answered as one in UTC."""
    limits = [Limit(DAY, 50), Limit(HOUR, 20)]
    middle = int(datetime.fromisoformat(change).timestamp()) * SECOND
    rng = random.Random(change)
    asked = sorted((middle + rng.randrange(-2 * DAY, 2 * DAY), 1) for _ in range(600))
    waits = list(Budget.of(board_db, limits, zone="Europe/Berlin").ask(asked))
    for (at, cost), wait in zip(asked, waits, strict=True):
        assert (wait or 0) == max(limit.free_at(at, cost) for limit in limits) - at
        if wait is None:
            for limit in limits:
                limit.calls.append((at, cost))
    assert all(limit.most_in_a_window() <= limit.max_units for limit in limits)
    assert sum(wait is not None for wait in waits) > 100


def test_a_wait_is_said_in_seconds(board_db: TestDb) -> None:
    """A day in an interval is 23 or 25 hours where clocks change, added by a client."""
    budget = Budget.of(board_db, [Limit(30 * DAY, 1)])
    row = budget.session.execute(
        "SELECT t.granted, g.retry_after::text"
        " FROM board.take('acme') AS t, board.take('acme') AS g"
    ).fetchone()
    assert row is not None
    assert row[0]
    assert "day" not in row[1]


# -- many sessions ---------------------------------------------------------------------------------


def all_at_once(work: Callable[..., int], arguments: Iterable[tuple[Any, ...]]) -> int:
    """Run it in as many sessions as there are tuples; the sum of what they return."""
    calls = list(arguments)
    with ThreadPoolExecutor(len(calls)) as threads:
        return sum(future.result() for future in [threads.submit(work, *call) for call in calls])


def taker(dsn: str, takes: int, account: str, rolls_back: float, seed: int) -> int:
    """Take that often; how many grants were kept."""
    rng = random.Random(seed)
    kept = 0
    with psycopg.connect(dsn, autocommit=True) as session:
        for _ in range(takes):
            give_up = rng.random() < rolls_back
            with session.transaction(force_rollback=give_up):
                row = session.execute(
                    "SELECT t.granted, t.retry_after FROM board.take('acme', %s) AS t", (account,)
                ).fetchone()
                assert row is not None
                assert row[0] == (row[1] is None)
            kept += row[0] and not give_up
    return kept


def usage(database: TestDb, account: str = "") -> dict[timedelta, int]:
    return dict(
        database.owner.execute(
            "SELECT v.period, v.used FROM board.provider_budgets AS v"
            " WHERE v.provider = 'acme' AND v.account = %s",
            (account,),
        ).fetchall()
    )


def limited(database: TestDb, *limits: tuple[str, int]) -> None:
    database.one("SELECT (board.configure_provider('acme')).name")
    for period, max_units in limits:
        database.one(
            "SELECT (board.set_limit('acme', %s::interval, %s)).max_units", period, max_units
        )


def test_sixteen_sessions_get_exactly_the_limit(board_db: TestDb) -> None:
    """16 by 50 takes at once, three limits: 100 are granted, and nobody dies of a deadlock."""
    limited(board_db, ("1 day", 100), ("2 days", 1000), ("3 days", 100))
    takers = [(board_db.dsn, 50, "", 0.0, seed) for seed in range(16)]
    assert all_at_once(taker, takers) == 100
    assert set(usage(board_db).values()) == {100}


def token_taker(dsn: str, takes: int, seed: int) -> int:
    """Take that often, each time of some of the units, and settle some; calls that were kept."""
    rng = random.Random(seed)
    kept = 0
    with psycopg.connect(dsn, autocommit=True) as session:
        for _ in range(takes):
            needed = {"call": 1}
            needed |= {unit: 10 for unit in ("a", "b", "c") if rng.random() < 0.7}
            row = session.execute(
                "SELECT t.usage_id FROM board._take(NULL, 'acme', '', %s) AS t", (Jsonb(needed),)
            ).fetchone()
            assert row is not None
            kept += row[0] is not None
            if row[0] is not None and rng.random() < 0.5:
                used = {unit: rng.randint(0, 20) for unit in needed if unit != "call"}
                session.execute("SELECT board._settle_usage(%s, %s)", (row[0], Jsonb(used)))
    return kept


def test_sixteen_sessions_and_four_limits_in_four_units(board_db: TestDb) -> None:
    """16 by 50 takes at once, each of other units, some settled: no call too many, no deadlock,
    and the budgets count to the unit what the records say."""
    limited(board_db, ("1 day", 500))
    for unit in ("a", "b", "c"):
        board_db.one("SELECT (board.set_limit('acme', '1 day', 100000, %s)).max_units", unit)
    takers = [(board_db.dsn, 50, seed) for seed in range(16)]
    assert all_at_once(token_taker, takers) == 500
    counted = board_db.rows(
        "SELECT v.unit, v.used FROM board.provider_budgets AS v ORDER BY v.unit"
    )
    recorded = board_db.rows(
        "SELECT e.key, sum(e.value::bigint) FROM board.usage_records AS u"
        " CROSS JOIN LATERAL jsonb_each(u.units) AS e GROUP BY e.key ORDER BY e.key"
    )
    assert counted == recorded
    assert dict(counted)["call"] == 500


def test_what_is_refused_in_one_unit_is_charged_in_none(board_db: TestDb) -> None:
    """16 by 50 takes at once, four limits of which each is the tightest for somebody: exact."""
    limited(board_db, ("1 day", 1000), ("2 days", 900))
    for unit, most in (("a", 700), ("b", 400)):
        board_db.one("SELECT (board.set_limit('acme', '1 day', %s, %s)).max_units", most, unit)

    def take(seed: int) -> int:
        kept = 0
        with psycopg.connect(board_db.dsn, autocommit=True) as session:
            for turn in range(50):
                units = {"a": 2} if (seed + turn) % 2 else {"a": 1, "b": 2}
                row = session.execute(
                    "SELECT t.granted FROM board.take('acme', units => %s) AS t", (Jsonb(units),)
                ).fetchone()
                assert row is not None
                kept += row[0] * (1_000_000 + 1_000 * units["a"] + units.get("b", 0))
        return kept

    kept = all_at_once(take, [(seed,) for seed in range(16)])
    used = dict(
        board_db.rows(
            "SELECT v.unit || v.period, v.used FROM board.provider_budgets AS v ORDER BY v.unit"
        )
    )
    assert used["call1 day"] == used["call2 days"] == kept // 1_000_000
    assert used["a1 day"] == kept % 1_000_000 // 1_000 + 1_000 * (used["a1 day"] // 1_000)
    assert used["b1 day"] == kept % 1_000
    assert 699 <= used["a1 day"] <= 700
    assert used["b1 day"] <= 400


def test_what_is_rolled_back_is_refunded(board_db: TestDb) -> None:
    """The same with every third transaction rolled back: 100 are kept, not one less."""
    limited(board_db, ("1 day", 100), ("2 days", 1000))
    takers = [(board_db.dsn, 50, "", 0.33, seed) for seed in range(16)]
    assert all_at_once(taker, takers) == 100
    assert set(usage(board_db).values()) == {100}


def test_accounts_do_not_limit_each_other(board_db: TestDb) -> None:
    """Each account has the whole limit, and so has no account at all."""
    limited(board_db, ("1 day", 30), ("2 days", 40))
    accounts = ["", "key-1", "key-2", "key-3"]
    takers = [(board_db.dsn, 25, account, 0.0, 0) for account in accounts for _ in range(3)]
    assert all_at_once(taker, takers) == 30 * len(accounts)
    for account in accounts:
        assert set(usage(board_db, account).values()) == {30}


def test_an_exhausted_provider_is_refused_without_a_lock(board_db: TestDb) -> None:
    """A take that has not committed keeps nobody waiting who would be refused anyway."""
    limited(board_db, ("1 day", 2))
    board_db.rows("SELECT * FROM board.take('acme', cost => 2)")
    holder = board_db.connect(autocommit=False)
    holder.execute("SELECT FROM board.budgets AS b WHERE b.provider = 'acme' FOR UPDATE")
    asker = board_db.connect(options="-c lock_timeout=100ms")
    row = asker.execute("SELECT * FROM board.take('acme')").fetchone()
    assert row is not None
    assert row[0] is False
    holder.rollback()


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_an_old_snapshot_grants_nothing_twice(board_db: TestDb, level: str) -> None:
    """In a stricter isolation level the answer is 40001, never one call too many."""
    limited(board_db, ("1 day", 1))
    old = board_db.connect(autocommit=False)
    old.execute(f"SET TRANSACTION ISOLATION LEVEL {level}".encode())
    old.execute("SELECT count(*) FROM board.providers")
    assert board_db.one("SELECT t.granted FROM board.take('acme') AS t") is True
    with pytest.raises(psycopg.errors.SerializationFailure):
        old.execute("SELECT * FROM board.take('acme')")
    old.rollback()


# -- throttles, changed limits, the clock ----------------------------------------------------------


def test_a_throttle_holds_to_the_microsecond(board_db: TestDb) -> None:
    """30 seconds of a provider that has a full budget: nothing before the end, everything after."""
    limited(board_db, ("1 second", 1000))
    before = board_db.one("SELECT clock_timestamp()")
    until = board_db.one("SELECT board.throttle('acme', '', '30 seconds')")
    after = board_db.one("SELECT clock_timestamp()")
    assert before + timedelta(seconds=30) <= until <= after + timedelta(seconds=30)
    granted, wait = board_db.rows("SELECT * FROM board.take('acme')")[0]
    assert granted is False
    assert timedelta(seconds=29) < wait <= timedelta(seconds=30)
    free_at = "SELECT board._budget_free_at('acme', '', 1, %s)"
    just_before = until - timedelta(microseconds=1)
    assert board_db.one(free_at, just_before) == until
    assert board_db.one(free_at, until) == until
    board_db.owner.execute("UPDATE board.throttles SET throttled_until = clock_timestamp()")
    assert board_db.one("SELECT t.granted FROM board.take('acme') AS t") is True


def test_a_changed_limit_keeps_its_usage(board_db: TestDb) -> None:
    """Lower, higher, dropped and set again: what was taken goes on counting."""
    limited(board_db, ("1 day", 10))
    take = "SELECT t.granted FROM board.take('acme') AS t"
    board_db.rows("SELECT * FROM board.take('acme', cost => 6)")
    limited(board_db, ("1 day", 5))
    assert board_db.one(take) is False
    assert board_db.rows("SELECT v.used, v.remaining FROM board.provider_budgets AS v") == [(6, 0)]
    limited(board_db, ("1 day", 7))
    assert [board_db.one(take), board_db.one(take)] == [True, False]
    assert board_db.one("SELECT board.drop_limit('acme', '24 hours')") is True
    assert board_db.one(take) is True
    limited(board_db, ("24 hours", 9))  # what was taken in between counts
    assert [board_db.one(take), board_db.one(take)] == [True, False]


def test_a_clock_that_was_put_back(board_db: TestDb) -> None:
    """A budget spent an hour ahead of the clock: claim lets a task try, take settles it."""
    limited(board_db, ("1 minute", 1))
    board_db.rows("SELECT * FROM board.take('acme')")
    board_db.owner.execute(
        "UPDATE board.budgets SET clock_at = clock_at + interval '1 hour',"
        " instant = instant + 3600 * 1000000::bigint"
    )
    free_at = (
        "SELECT board._budget_free_at('acme', '', 1, c.now) - c.now"
        " FROM clock_timestamp() AS c (now)"
    )
    assert board_db.one(free_at) == timedelta(0)
    granted, wait = board_db.rows("SELECT * FROM board.take('acme')")[0]
    assert granted is False
    assert timedelta(0) < wait < timedelta(seconds=62)
    assert timedelta(0) < board_db.one(free_at) <= wait


def test_who_may_do_what(board_db: TestDb) -> None:
    """Viewers see the budgets, agents take, operators lift a throttle, admins set limits."""
    limited(board_db, ("1 day", 10))
    board_db.rows("SELECT * FROM board.take('acme')")
    board_db.one("SELECT board.throttle('acme')")
    doors = {
        "board_viewer": "SELECT v.used, v.next_free_at FROM board.provider_budgets AS v",
        "board_agent": "SELECT * FROM board.take('acme')",
        "board_operator": "SELECT board.unthrottle('acme')",
        "board_admin": "SELECT board.set_limit('acme', '1 hour', 5)",
    }
    for held, role in enumerate(doors):
        session = board_db.connect(role=role)
        for needed, query in enumerate(doors.values()):
            if held >= needed:
                assert session.execute(query.encode()).fetchall()
            else:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    session.execute(query.encode())
        for table in ("providers", "provider_limits", "budgets", "throttles"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(f"DELETE FROM board.{table}".encode())


# -- units and settlements, with a clock that the test turns ---------------------------------------


class Turned:
    """The wing's own functions, with the moment that the test sets in place of the wall clock."""

    def __init__(self, database: TestDb, limits: list[Limit]) -> None:
        Budget.of(database, limits)
        self.session = database.connect()
        for source in sorted((SQL / "functions/providers").glob("*.sql")):
            if "clock_timestamp()" in source.read_text():
                turned = source.read_text().replace(
                    "clock_timestamp()", "current_setting('test.clock')::timestamptz"
                )
                self.session.execute(turned.encode())
        self.session.execute(
            """
            CREATE FUNCTION public.turn(at bigint) RETURNS void LANGUAGE sql AS $$
                SELECT set_config('test.clock',
                    (to_timestamp(0) + at * interval '1 microsecond')::text, false) $$;
            CREATE FUNCTION public.take_at(at bigint, needed jsonb) RETURNS TABLE (
                wait bigint, usage_id bigint)
            LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM public.turn(at);
                RETURN QUERY
                    SELECT (extract(epoch FROM t.retry_after) * 1000000)::bigint, t.usage_id
                      FROM board._take(NULL, 'acme', '', needed) AS t;
            END $$
            """
        )

    def take(self, at: int, needed: dict[str, int]) -> tuple[int | None, int | None]:
        """Microseconds to wait, or None and the id of the usage record."""
        row = self.session.execute(
            "SELECT t.wait, t.usage_id FROM public.take_at(%s, %s) AS t", (at, Jsonb(needed))
        ).fetchone()
        assert row is not None
        assert (row[0] is None) == (row[1] is not None)
        return row[0], row[1]

    def settle(self, at: int, usage_id: int, used: dict[str, int]) -> None:
        self.session.execute(
            "SELECT public.turn(%s), board._settle_usage(%s, %s)", (at, usage_id, Jsonb(used))
        )


@dataclass
class Granted:
    """A granted take as the simulation knows it."""

    usage_id: int
    at: int
    units: dict[str, int]
    refundable: dict[str, int]


def settle_exactly(limits: list[Limit], call: Granted, now: int, used: dict[str, int]) -> int:
    """What settling means, call by call: less never was, more is used now. How much more."""
    more = 0
    for unit, amount in used.items():
        change = amount - call.units.get(unit, 0)
        off = min(-change, call.refundable.get(unit, 0))
        call.units[unit] = amount
        for limit in limits:
            if limit.unit == unit and change > 0:
                limit.calls.append((now, change))
            elif limit.unit == unit and off > 0:
                place = limit.calls.index((call.at, call.refundable[unit]))
                limit.calls[place] = (call.at, call.refundable[unit] - off)
        if change < 0 and off > 0:
            call.refundable[unit] -= off
        more += max(0, change)
    return more


THREE_UNITS = [
    (SECOND, 8, "call"),
    (60 * SECOND, 200, "call"),
    (60 * SECOND, 40_000, "input_token"),
    (60 * SECOND, 6_000, "output_token"),
    (HOUR, 150_000, "output_token"),
]


def estimate(rng: random.Random) -> dict[str, int]:
    needed = {"call": rng.choice([1, 1, 1, 2])}
    if rng.random() < 0.9:
        needed["input_token"] = rng.randint(1, 4_000)
    if rng.random() < 0.7:
        needed["output_token"] = rng.randint(1, 900)
    return needed


@pytest.mark.parametrize("seed", range(3))
def test_three_units_and_settlements_are_exact(board_db: TestDb, seed: int) -> None:
    """Random calls in three units, settled early, late, twice or never, by 0.3 to 3 times what was
    estimated: every answer as simulated, and whenever something is granted, no window that ends
    there is overfull in any unit."""
    rng = random.Random(seed)
    limits = [Limit(*limit) for limit in THREE_UNITS]
    board = Turned(board_db, limits)
    now = START + rng.randrange(DAY)
    open_calls: list[Granted] = []
    granted = refused = given_back = booked = 0
    for _ in range(1200):
        now += rng.choice([0, 1, 40_000, SECOND // 8, SECOND // 3, SECOND, 3 * SECOND])
        if open_calls and rng.random() < 0.4:
            call = open_calls[rng.randrange(len(open_calls))]
            if rng.random() < 0.8:
                open_calls.remove(call)
            used = {
                unit: int(amount * 0.3 * 10 ** rng.random())
                for unit, amount in call.units.items()
                if unit != "call" or rng.random() < 0.1
            }
            before = sum(call.refundable.values())
            board.settle(now, call.usage_id, used)
            booked += settle_exactly(limits, call, now, used)
            given_back += before - sum(call.refundable.values())
            continue
        needed = estimate(rng)
        wait, usage_id = board.take(now, needed)
        mine = [limit for limit in limits if limit.unit in needed]
        free_at = max(limit.free_at(now, needed[limit.unit]) for limit in mine)
        assert (wait or 0) == free_at - now
        if usage_id is None:
            refused += 1
            continue
        granted += 1
        open_calls.append(Granted(usage_id, now, dict(needed), dict(needed)))
        for limit in mine:
            limit.calls.append((now, needed[limit.unit]))
            assert limit.used_at(now) <= limit.max_units
    assert min(granted, refused) > 100
    assert min(given_back, booked) > 5_000, "settlements that settle nothing show nothing"
    recorded = board_db.one(
        "SELECT jsonb_object_agg(s.unit, s.units) FROM (SELECT e.key AS unit,"
        " sum(e.value::bigint) AS units FROM board.usage_records AS u"
        " CROSS JOIN LATERAL jsonb_each(u.units) AS e GROUP BY e.key) AS s"
    )
    assert set(recorded) == {"call", "input_token", "output_token"}


@pytest.mark.parametrize("seed", range(3))
def test_settlements_while_the_clock_is_put_back(board_db: TestDb, seed: int) -> None:
    """In true time, whenever something is granted no window is overfull: what was counted before
    a step back gives nothing back, since where it is counted cannot be told."""
    rng = random.Random(seed)
    limits = [Limit(SECOND, 10), Limit(64 * SECOND, 60), Limit(64 * SECOND, 3_000, "token")]
    board = Turned(board_db, limits)
    now = clock = START
    open_calls: list[Granted] = []
    granted = 0
    for _ in range(1200):
        passed = rng.choice([0, 1, SECOND // 10, SECOND // 3, SECOND, 2 * SECOND])
        now += passed
        clock += passed
        if rng.random() < 0.05:
            clock -= rng.choice([1, 3 * SECOND, 8 * SECOND, 20 * SECOND])
        if len(open_calls) > 12 and rng.random() < 0.5:
            call = open_calls.pop(rng.randrange(len(open_calls)))
            used = {"token": int(call.units["token"] * 0.3 * 10 ** rng.random()), "call": 0}
            board.settle(clock, call.usage_id, used)
            # More counts from now on; of less, the simulation is told nothing but what is true.
            settle_exactly(limits, call, now, used)
            continue
        needed = {"call": 1, "token": rng.randint(1, 300)}
        _, usage_id = board.take(clock, needed)
        if usage_id is not None:
            granted += 1
            open_calls.append(Granted(usage_id, now, dict(needed), dict(needed)))
            for limit in limits:
                limit.calls.append((now, needed[limit.unit]))
                assert limit.used_at(now) <= limit.max_units
    assert granted > 60


@pytest.mark.parametrize("rate", [0.3, 0.12])
def test_what_is_given_back_takes_no_other_call_away(board_db: TestDb, rate: float) -> None:
    """Random takes, some given back, early or late: the calls that were made overfill no window."""
    rng = random.Random(8)
    limit = Limit(64 * SECOND, 10)
    board = Turned(board_db, [limit])
    now = START
    unused: list[int] = []
    given_back = 0
    for _ in range(800):
        now += rng.choice([0, 1, SECOND, 2 * SECOND, 7 * SECOND])
        if unused and rng.random() < rate:
            board.settle(now, unused.pop(rng.randrange(len(unused))), {"call": 0})
            given_back += 1
            continue
        cost = rng.randint(1, 3)
        _, usage_id = board.take(now, {"call": cost})
        if usage_id is not None:
            if rng.random() < 0.5:
                unused.append(usage_id)
            else:
                limit.calls.append((now, cost))
    assert given_back > 20
    assert limit.most_in_a_window() <= limit.max_units
    counts = board_db.one("SELECT b.counts FROM board.budgets AS b")
    assert min(counts) >= 0


MODEL = [
    (60 * SECOND, 120, "call"),
    (60 * SECOND, 200_000, "input_token"),
    (60 * SECOND, 40_000, "output_token"),
    (DAY, 10_000, "call"),
]


@pytest.mark.parametrize("seed", range(2))
def test_a_model_under_load(board_db: TestDb, seed: int) -> None:
    """Thirty agents call a model for ten minutes as often as they may; a call takes 2 to 20 s and
    uses 0.3 to 3 times what was estimated. Use stays within 5 % of each limit, and of the tightest
    one at least 90 % is used."""
    rng = random.Random(seed)
    limits = [Limit(*limit) for limit in MODEL]
    board = Turned(board_db, limits)
    end = START + 600 * SECOND
    used = dict.fromkeys(("call", "input_token", "output_token"), 0)
    events: list[tuple[int, int, str, Any]] = [
        (START + turn * SECOND // 7, turn, "take", None) for turn in range(30)
    ]
    turn = len(events)
    while events:
        now, _, what, about = heapq.heappop(events)
        turn += 1
        if what == "settle":
            usage_id, actual = about
            board.settle(now, usage_id, {u: n for u, n in actual.items() if u != "call"})
            heapq.heappush(events, (now, turn, "take", None))
        elif now < end:
            needed = about or {
                "call": 1,
                "input_token": rng.randint(300, 3_000),
                "output_token": rng.randint(100, 800),
            }
            wait, usage_id = board.take(now, needed)
            if usage_id is None:
                assert wait is not None
                heapq.heappush(events, (now + wait, turn, "take", needed))
                continue
            factor = 0.3 * 10 ** rng.random()
            actual = {u: n if u == "call" else round(n * factor) for u, n in needed.items()}
            for unit, amount in actual.items():
                used[unit] += amount
            lasts = rng.randint(2 * SECOND, 20 * SECOND)
            heapq.heappush(events, (now + lasts, turn, "settle", (usage_id, actual)))
    shares = {
        (limit.unit, limit.period): used[limit.unit]
        / (limit.max_units * max(1, 600 * SECOND / limit.period))
        for limit in limits
    }
    print(f"use over ten minutes, as a share of each limit: {shares}")
    assert max(shares.values()) <= 1.05
    assert max(shares.values()) >= 0.9


# -- claim -----------------------------------------------------------------------------------------


def waiting_tasks(database: TestDb, number: int) -> None:
    """Many tasks of high priority for a provider that has nothing left, and one for another."""
    limited(database, ("1 day", 1))
    database.one("SELECT (board.configure_provider('other')).name")
    database.one("SELECT (board.configure_kind('stuck', provider => 'acme')).name")
    database.one("SELECT (board.configure_kind('free', provider => 'other')).name")
    assert database.one("SELECT t.granted FROM board.take('acme') AS t") is True
    database.silently(
        "INSERT INTO board.tasks (kind, priority) SELECT 'stuck', 100 FROM generate_series(1, %s)",
        number,
    )
    database.one("SELECT board.enqueue('stuck', priority => 100)")
    database.one("SELECT board.enqueue('free')")
    database.owner.execute("VACUUM ANALYZE board.tasks")


def buffers_of_a_claim(database: TestDb) -> int:
    with database.owner.transaction(force_rollback=True):
        plan = database.one(
            "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT c.id FROM board.claim('agent-1') AS c"
        )[0]["Plan"]
    assert plan["Actual Rows"] == 1
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def test_claim_steps_over_an_exhausted_provider(board_db: TestDb) -> None:
    """100,000 tasks in front that may not go: a claim finds the one behind, at the price of 100."""
    waiting_tasks(board_db, 100)
    buffers_of_a_claim(board_db)  # plans and catalog
    few = buffers_of_a_claim(board_db)
    board_db.silently(
        "INSERT INTO board.tasks (kind, priority) SELECT 'stuck', 100 FROM generate_series(1, %s)",
        99_900,
    )
    board_db.owner.execute("VACUUM ANALYZE board.tasks")
    buffers_of_a_claim(board_db)
    many = buffers_of_a_claim(board_db)
    assert many <= few + 20  # an index is a level or two higher

    assert board_db.rows("SELECT c.kind FROM board.claim('agent-1') AS c") == [("free",)]
    assert board_db.rows("SELECT c.kind FROM board.claim('agent-1') AS c") == []
    stuck = board_db.one("SELECT t.id FROM board.tasks AS t WHERE t.kind = 'stuck' LIMIT 1")
    assert 'provider "acme" has no budget until' in board_db.one("SELECT board.explain(%s)", stuck)
    free_at = board_db.one(
        "SELECT min(v.next_free_at) FROM board.provider_budgets AS v WHERE v.provider = 'acme'"
    )
    assert board_db.one("SELECT board.next_due(ARRAY['stuck'])") == free_at

    # A day goes by.
    board_db.owner.execute(
        "UPDATE board.budgets SET clock_at = clock_at - interval '25 hours',"
        " instant = instant - 25 * 3600 * 1000000::bigint"
    )
    assert board_db.rows("SELECT c.kind FROM board.claim('agent-1') AS c") == [("stuck",)]


@pytest.mark.parametrize(
    ("closed", "why"),
    [
        (
            "SELECT board.pause('provider:acme', 'olga', 'invoices')",
            'is paused by "olga": invoices',
        ),
        ("SELECT board.throttle('acme', '', '1 hour')", "is throttled until"),
    ],
)
def test_claim_leaves_out_a_closed_provider(board_db: TestDb, closed: Any, why: str) -> None:
    """Paused or throttled, its tasks stay; another account of it goes on; explain says why."""
    limited(board_db, ("1 day", 10))
    board_db.one("SELECT (board.configure_kind('closed', provider => 'acme')).name")
    board_db.one(
        "SELECT (board.configure_kind('apart', provider => 'acme',"
        " provider_account => 'key-1')).name"
    )
    task = board_db.one("SELECT board.enqueue('closed', priority => 9)")
    board_db.one(closed)
    assert why in board_db.one("SELECT board.explain(%s)", task)
    assert board_db.rows("SELECT c.kind FROM board.claim('agent-1') AS c") == []
    granted, wait = board_db.rows("SELECT * FROM board.take('acme')")[0]
    assert granted is False
    assert wait > timedelta(0)
    board_db.one("SELECT board.enqueue('apart')")
    apart = board_db.rows("SELECT c.kind FROM board.claim('agent-1') AS c")
    if "throttle" in closed:
        assert apart == [("apart",)]
        assert board_db.one("SELECT board.unthrottle('acme')") is True
    else:
        assert apart == []
        board_db.one("SELECT board.resume('provider:acme', 'olga')")
    assert board_db.rows("SELECT c.kind FROM board.claim('agent-1') AS c") == [("closed",)]


def claimer(dsn: str, agent: str) -> int:
    """Claim again and again; how many tasks were given."""
    with psycopg.connect(dsn, autocommit=True) as session:
        return sum(
            len(
                session.execute(
                    "SELECT c.id FROM board.claim(%s, '1 hour') AS c", (agent,)
                ).fetchall()
            )
            for _ in range(40)
        )


def worker(dsn: str, agent: str) -> int:
    """Claim and complete until nothing is left; how many."""
    done = 0
    with psycopg.connect(dsn, autocommit=True) as session:
        while session.execute("SELECT FROM board.tasks AS t WHERE t.finished_at IS NULL").rowcount:
            for (task,) in session.execute("SELECT c.id FROM board.claim(%s) AS c", (agent,)):
                session.execute("SELECT board.complete(%s, %s)", (task, agent))
                done += 1
    return done


def test_two_at_a_time(board_db: TestDb) -> None:
    """max_in_progress 2: six sessions work, and the log never has a third task running."""
    board_db.one("SELECT (board.configure_kind('pair', max_in_progress => 2)).name")
    board_db.rows("SELECT board.enqueue('pair') FROM generate_series(1, 400)")
    assert all_at_once(worker, [(board_db.dsn, f"agent-{number}") for number in range(6)]) == 400
    most = board_db.one(
        "SELECT max(r.running) FROM (SELECT sum(CASE e.type WHEN 'claimed' THEN 1 ELSE -1 END)"
        " OVER (ORDER BY e.seq) AS running FROM board.task_events AS e"
        " WHERE e.type IN ('claimed', 'completed')) AS r"
    )
    assert most == 2


def test_one_at_a_time(board_db: TestDb) -> None:
    """max_in_progress 1: six sessions, one task; the slot comes back with the lapse, once."""
    board_db.one("SELECT (board.configure_kind('single', max_in_progress => 1)).name")
    board_db.rows("SELECT board.enqueue('single') FROM generate_series(1, 12)")
    assert all_at_once(claimer, [(board_db.dsn, f"agent-{number}") for number in range(6)]) == 1
    running = "SELECT t.id, t.leased_by FROM board.tasks AS t WHERE t.status = 'in_progress'"
    [(task, dead)] = board_db.rows(running)

    # The holder dies. When its lease lapses, the next claim has the slot; the one after has none.
    board_db.age_lease(task)
    claim = "SELECT c.id, c.claim_count FROM board.claim(%s) AS c"
    assert board_db.rows(claim, "next") == [(task, 2)]
    assert board_db.rows(claim, "other") == []
    assert len(board_db.rows(running)) == 1

    # It was only slow, and hands back what is no longer its own: nothing is freed by that.
    with pytest.raises(psycopg.DatabaseError) as refused:
        board_db.rows("SELECT board.release(%s, %s, attempt => 1)", task, dead)
    assert refused.value.sqlstate == "TB001"
    assert board_db.rows(claim, "other") == []
    board_db.rows("SELECT board.complete(%s, 'next')", task)
    assert len(board_db.rows(claim, "other")) == 1
    assert board_db.rows(claim, "next") == []


def tenant_worker(dsn: str, agent: str, total: int) -> int:
    """Work as an agent does: sleep until next_due, claim, call, settle; how often told to wait."""
    waits = 0
    with psycopg.connect(dsn, autocommit=True) as session:
        while True:
            row = session.execute(
                "SELECT c.id FROM board.claim(%s, '1 minute') AS c", (agent,)
            ).fetchone()
            if row is None:
                due = session.execute(
                    "SELECT extract(epoch FROM board.next_due() - clock_timestamp())::float8,"
                    " (SELECT count(*) FROM board.tasks AS t WHERE t.finished_at IS NOT NULL)"
                ).fetchone()
                assert due is not None
                if due[1] == total:
                    return waits
                time.sleep(min(max(due[0] or 0.02, 0.02), 1.0))
                continue
            ticket = session.execute(
                "SELECT c.decision FROM board.begin_call(%s, %s, 's', units => %s) AS c",
                (row[0], agent, Jsonb({"token": 10})),
            ).fetchone()
            assert ticket is not None
            if ticket[0] == "wait":
                waits += 1
                continue
            assert ticket[0] == "send"
            session.execute(
                "SELECT board.finish_call(%s, %s, 's', '1', used => '{\"token\": 7}'),"
                " board.complete(%s, %s)",
                (row[0], agent, row[0], agent),
            )


def test_tenants_of_one_kind_are_all_served(board_db: TestDb) -> None:
    """Three accounts with little budget each, six agents: every task is done once, no account's
    limit is passed, and few claims are told to wait."""
    board_db.one("SELECT (board.configure_provider('acme')).name")
    board_db.one("SELECT (board.configure_kind('ask', provider => 'acme')).name")
    board_db.one("SELECT (board.set_limit('acme', '1 second', 15)).max_units")
    board_db.one("SELECT (board.set_limit('acme', '1 second', 120, 'token')).max_units")
    for account in ("a", "b", "c"):
        board_db.rows(
            "SELECT board.enqueue('ask', account => %s) FROM generate_series(1, 40)", account
        )
    waits = all_at_once(tenant_worker, [(board_db.dsn, f"agent-{n}", 120) for n in range(6)])
    sent = board_db.rows(
        "SELECT c.account, c.began_at FROM board.calls AS c WHERE c.decision = 'send'"
    )
    assert len(sent) == 120
    for account in ("a", "b", "c"):
        limit = Limit(SECOND, 15)
        limit.calls = [(round(at.timestamp() * SECOND), 1) for name, at in sent if name == account]
        assert limit.most_in_a_window() <= 16  # a call is written down just after it was granted
    print(f"{waits} claims were told to wait")
    assert waits <= 60
