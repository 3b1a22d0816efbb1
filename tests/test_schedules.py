"""Schedules: when an expression comes next, against a library; firing, from many processes."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from zoneinfo import ZoneInfo

import psycopg
import pytest
from cronsim import CronSim, CronSimError

from tests.support.testdb import TestDb
from tests.support.workers import crew
from tests.test_plans import warm_buffers

ZONES = (
    "UTC",
    "Europe/Berlin",
    "Europe/London",
    "America/New_York",
    "America/St_Johns",  # changed its clocks one minute after midnight
    "America/Sao_Paulo",  # and at midnight
    "America/Havana",
    "Australia/Lord_Howe",  # by half an hour
    "Pacific/Auckland",
    "Pacific/Apia",  # left out 30 December 2011
    "Asia/Beirut",
    "Asia/Kathmandu",
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
FIELDS: tuple[tuple[int, int, tuple[str, ...]], ...] = (
    (0, 59, ()),
    (0, 23, ()),
    (1, 31, ()),
    (1, 12, MONTHS),
    (0, 7, WEEKDAYS),
)
MINUTE = timedelta(minutes=1)
DAY = timedelta(hours=24)
FIRST, LAST = datetime(1975, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)


# -- random expressions and moments ----------------------------------------------------------------


def _value(chance: random.Random, number: int, field: int) -> str:
    low, _, names = FIELDS[field]
    if names and number - low < len(names) and chance.random() < 0.4:
        return chance.choice((str.upper, str.lower, str.title))(names[number - low])
    return f"{number:02}" if chance.random() < 0.1 else str(number)


def _item(chance: random.Random, field: int) -> str:
    low, high, _ = FIELDS[field]
    shape = chance.random()
    step = f"/{chance.randint(1, high - low + 1)}"
    if shape < 0.15:
        return "*" + step
    first, last = sorted(chance.sample(range(low, high + 1), 2))
    if shape < 0.7:
        return _value(chance, first, field)
    # To cronsim sun is the beginning of a week only; here fri-sun is a range too.
    last_text = str(last) if field == 4 and last == 7 else _value(chance, last, field)
    return f"{_value(chance, first, field)}-{last_text}" + (step if shape > 0.85 else "")


def expression(chance: random.Random) -> str:
    stars = (0.3, 0.3, 0.5, 0.6, 0.5)
    return " ".join(
        "*"
        if chance.random() < stars[field]
        else ",".join(_item(chance, field) for _ in range(chance.choice((1, 1, 1, 2, 3))))
        for field in range(5)
    )


def clock_changes(zone: str) -> list[datetime]:
    """The moments, to the second, at which the zone's clock is changed."""
    place = ZoneInfo(zone)
    steps = [FIRST + DAY * number for number in range((LAST - FIRST).days)]
    found = []
    for low, high in pairwise(steps):
        before = low.astimezone(place).utcoffset()
        if high.astimezone(place).utcoffset() == before:
            continue
        seconds = range(int((high - low).total_seconds()) + 1)

        def changed(second: int, low: datetime = low, before: timedelta | None = before) -> bool:
            return (low + timedelta(seconds=second)).astimezone(place).utcoffset() != before

        found.append(low + timedelta(seconds=bisect_left(seconds, True, key=changed)))
    return found


def moment(chance: random.Random, changes: list[datetime]) -> datetime:
    where = chance.random()
    if changes and where < 0.5:
        near = chance.choice(changes)
        return near + timedelta(seconds=chance.randint(-40 * 3600, 28 * 3600))
    if where < 0.6:
        year = chance.choice((1976, 1999, 2000, 2012, 2019))
        return datetime(year, 2, 27, tzinfo=UTC) + timedelta(minutes=chance.randint(0, 4000))
    return FIRST + timedelta(
        microseconds=chance.randint(0, int((LAST - FIRST).total_seconds()) * 10**6)
    )


# -- what should come out --------------------------------------------------------------------------


def fires_at(local: datetime, place: ZoneInfo) -> datetime:
    """The first moment at which the place's clock shows that time or a later one."""
    first = local.replace(tzinfo=place, fold=0).astimezone(UTC)
    if first.astimezone(place).replace(tzinfo=None) == local:
        return first
    # A gap: between what the offset after it and the offset before it make of that time.
    low = int((local.replace(tzinfo=UTC) - timedelta(hours=26)).timestamp())
    seconds = range(low, low + 52 * 3600)
    return datetime.fromtimestamp(
        seconds[
            bisect_left(
                seconds,
                local,
                key=lambda s: datetime.fromtimestamp(s, UTC).astimezone(place).replace(tzinfo=None),
            )
        ],
        UTC,
    )


def expected(cron: str, after: datetime, zone: str) -> datetime | None:
    """cronsim finds the local times, without any zone; what they mean is the rule above."""
    place = ZoneInfo(zone)
    local_times: Iterator[datetime] = CronSim(cron, after.astimezone(place).replace(tzinfo=None))
    for local in local_times:
        found = fires_at(local, place)
        if found > after:
            return found
    return None


def test_next_occurrence_against_cronsim(board_db: TestDb) -> None:
    """20,000 random expressions and moments in 12 zones, half of them near a clock change.

    cronsim finds the local times; held against its own reading of zones too. That differs where it
    follows Debian's cron: an expression that begins with * in minutes or hours goes by real time
    there, so that it fires twice where the clock shows a time twice.
    """
    chance = random.Random(16)
    changes = {zone: clock_changes(zone) for zone in ZONES}
    assert len(changes["Europe/Berlin"]) > 80
    cases: list[tuple[str, datetime, str, datetime]] = []
    while len(cases) < 20_000:
        zone = chance.choice(ZONES)
        cron, after = expression(chance), moment(chance, changes[zone])
        answer = expected(cron, after, zone)
        if answer is not None:  # it gives up after 50 years
            cases.append((cron, after, zone, answer))
    rows = board_db.rows(
        "SELECT board.next_occurrence(c.cron, c.after, c.zone)"
        "  FROM unnest(%s::text[], %s::timestamptz[], %s::text[])"
        "       WITH ORDINALITY AS c (cron, after, zone, n) ORDER BY c.n",
        *([case[part] for case in cases] for part in range(3)),
    )
    wrong = [
        f"{cron!r} after {after} in {zone}: {got}, expected {want}"
        for (cron, after, zone, want), (got,) in zip(cases, rows, strict=True)
        if got != want
    ]
    assert wrong == []
    near = sum(
        any(abs(change - after) < 2 * DAY for change in changes[zone])
        for _, after, zone, _ in cases
    )
    assert near > 5_000

    # Its own reading of zones, where it is about fixed times and no repeated hour is going on.
    compared = 0
    for cron, after, zone, want in cases:
        minute, hour, *_ = cron.split()
        local = after.astimezone(ZoneInfo(zone))
        if minute.startswith("*") or hour.startswith("*") or local.fold:
            continue
        compared += 1
        # To the minute: it walks out of a gap in minutes, and after ends in seconds.
        assert next(CronSim(cron, local)).astimezone(UTC) == want, (cron, after, zone)
    assert compared > 5_000


def test_dates_that_never_come(board_db: TestDb) -> None:
    """Refused by both, or by neither; and what comes at last comes without a long search."""
    after = datetime(2026, 12, 1, tzinfo=UTC)
    refused = 0
    for days, months, weekdays in product(
        ("28", "29", "29-31", "30", "30,31", "31", "*/30", "31-31"),
        ("2", "4", "1", "4,6,9,11", "2,feb", "2-4", "*/2", "2,11", "*"),
        ("*", "mon", "*/2", "0-7"),
    ):
        cron = f"0 0 {days} {months} {weekdays}"
        try:
            want = next(CronSim(cron, after))
        except CronSimError:
            refused += 1
            with pytest.raises(psycopg.errors.InvalidParameterValue):
                board_db.one("SELECT board.next_occurrence(%s, %s)", cron, after)
        else:
            assert board_db.one("SELECT board.next_occurrence(%s, %s)", cron, after) == want, cron
    assert refused > 20


def test_next_occurrence_depends_on_no_setting(board_db: TestDb) -> None:
    query = """
        SELECT extract(epoch FROM board.next_occurrence(
                   c.cron, to_timestamp(c.after), c.zone))::text
          FROM (VALUES ('0 9 * * FRI', 1774713600, 'Europe/Berlin'),
                       ('30 2 * * *', 1774713600, 'Europe/Berlin'),
                       ('@every 1d 2 hours', 1774713600, 'Europe/Berlin'),
                       ('15 1 29 2 *', 1774713600, 'America/New_York')) AS c (cron, after, zone)
        """
    plain = board_db.rows(query)
    with board_db.connect() as odd:
        for setting in (
            "TimeZone = 'America/New_York'",
            "DateStyle = 'SQL, DMY'",
            "IntervalStyle = 'sql_standard'",
            "timezone_abbreviations = 'Australia'",
            "standard_conforming_strings = off",
            "extra_float_digits = -15",
            "search_path = ''",
            "lc_time = 'C'",
        ):
            odd.execute(f"SET {setting}")
        assert odd.execute(query).fetchall() == plain


# -- firing, from many processes -------------------------------------------------------------------

SCHEDULES = 50
OCCURRENCES = 200
FIRING = 16
DYING = 4


def test_ten_thousand_schedules_none_due_cost_a_claim_one_probe(board_db: TestDb) -> None:
    board_db.owner.execute("SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[50]))")
    agent = board_db.connect()
    one, many = (
        "SELECT * FROM board.claim('A')",
        "SELECT * FROM board.claim('A', max_tasks => 2)",
    )
    none = warm_buffers(agent, one), warm_buffers(agent, many)
    board_db.owner.execute(
        "SELECT board.schedule('s' || n, '0 0 1 1 *', 'k' || n % 100)"
        "  FROM generate_series(1, 10000) AS n"
    )
    board_db.owner.execute("VACUUM ANALYZE board.task_schedules")
    full = warm_buffers(agent, one), warm_buffers(agent, many)
    assert none[0] + 3 >= full[0], "one probe: the levels of the index"
    assert none[1] + 3 >= full[1]
    assert warm_buffers(agent, "SELECT board.next_due('{k7}')") < 50
    assert warm_buffers(agent, "SELECT board.next_due()") < 50


def fire(dsn: str, seed: int) -> Counter[str]:
    """Fire until nothing is due, at both isolation levels; roll back or die now and then."""
    chance = random.Random(seed)
    seen: Counter[str] = Counter()
    connection = psycopg.connect(dsn)
    while True:
        connection.isolation_level = chance.choice(
            (psycopg.IsolationLevel.READ_COMMITTED, psycopg.IsolationLevel.REPEATABLE_READ)
        )
        try:
            row = connection.execute(
                "SELECT count(*) FROM board.claim('agent', max_tasks => %s)"
                if chance.random() < 0.2
                else "SELECT board._fire_due(%s)",
                (chance.randint(1, 20),),
            ).fetchone()
            left = connection.execute(
                "SELECT FROM board.task_schedules AS s WHERE s.next_at <= clock_timestamp() LIMIT 1"
            ).fetchone()
            assert row is not None
            made = row[0]
            if made and chance.random() < 0.1:
                connection.rollback()
                seen["rolled back"] += 1
            elif made and chance.random() < 0.02:
                seen["terminated"] += 1
                connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            else:
                connection.commit()
                seen["made"] += made
                if left is None:
                    connection.close()
                    return seen
        except psycopg.errors.SerializationFailure:
            connection.rollback()
            seen["40001"] += 1
        except psycopg.OperationalError:
            connection = psycopg.connect(dsn)


def test_each_occurrence_gives_one_task(board_db: TestDb) -> None:
    """10,000 occurrences, 16 processes that fire them, 4 more that are killed in the middle of it.

    The index that holds each occurrence once is dropped before: the row's lock alone has to do it,
    and a second attempt would be seen.
    """
    board_db.owner.execute("DROP INDEX board.tasks_occurrence")
    board_db.owner.execute(
        "SELECT board.schedule('s' || n, '@every 1 second', 'k', missed => 'all',"
        "       overlap => 'allow', starts_at => s.at, ends_at => s.at + make_interval(secs => %s))"
        "  FROM generate_series(1, %s) AS n,"
        "       (SELECT date_trunc('second', clock_timestamp()) - interval '1 hour') AS s (at)",
        (OCCURRENCES - 1, SCHEDULES),
    )
    board_db.owner.execute("UPDATE board.task_schedules SET next_at = starts_at")
    with (
        crew(fire, [(board_db.dsn, seed) for seed in range(DYING)]) as dying,
        crew(fire, [(board_db.dsn, 100 + seed) for seed in range(FIRING)]) as firing,
    ):
        board_db.wait_for("SELECT count(*) > 2000 FROM board.tasks")
        for process in dying.processes:
            process.kill()
        seen: Counter[str] = sum(firing.results(), Counter())
    assert seen["rolled back"] > 0
    assert seen["terminated"] > 0
    assert seen["40001"] > 0
    # Those that were killed may have had a transaction under way: their sessions end by themselves.
    board_db.wait_for(
        "SELECT NOT EXISTS (SELECT FROM board.task_schedules AS s"
        "                    WHERE s.next_at <= clock_timestamp())"
    )
    assert board_db.rows(
        "SELECT count(*), count(DISTINCT (t.schedule, t.scheduled_for)),"
        "       count(DISTINCT t.schedule), count(DISTINCT t.scheduled_for) FROM board.tasks AS t"
    ) == [(SCHEDULES * OCCURRENCES, SCHEDULES * OCCURRENCES, SCHEDULES, OCCURRENCES)]
    assert board_db.one(
        "SELECT count(*) FROM board.task_events AS e WHERE e.type = 'enqueued'"
    ) == (SCHEDULES * OCCURRENCES)
