"""What a session or a database has set changes nothing that the board does.

Old applications set `standard_conforming_strings = off` for their database; sessions have time
zones and styles of their own. None of it may change what a verb accepts, stores or answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, LiteralString

import psycopg
import pytest

from tests.support.fixtures import Template
from tests.support.script import board_script
from tests.support.testdb import Connection, TestDb, clone, create_database, drop_database

# What any role may set for itself, each far from its usual value.
HOSTILE = {
    "standard_conforming_strings": "off",
    "escape_string_warning": "on",
    "timezone": "America/St_Johns",
    "datestyle": "SQL, DMY",
    "intervalstyle": "sql_standard",
    "bytea_output": "escape",
    "extra_float_digits": "-15",
    "array_nulls": "off",
    "transform_null_equals": "on",
    "quote_all_identifiers": "on",
    "xmloption": "document",
    "lc_time": "C",
    "lc_numeric": "C",
    "plan_cache_mode": "force_generic_plan",
    "work_mem": "64kB",
    "enable_indexscan": "off",
    "search_path": "pg_temp",
}

# Each gives one text or an error, without ids and moments in it.
CALLS: tuple[tuple[LiteralString, tuple[Any, ...]], ...] = (
    ("SELECT (board.enqueue(%s) IS NOT NULL)::text", ("work",)),
    ("SELECT (board.enqueue(%s) IS NOT NULL)::text", ("back\\slash d\\d",)),
    ("SELECT board.enqueue(%s)::text", ("line\nbreak",)),
    ("SELECT board.enqueue(%s)::text", ("no\u200bwidth",)),
    ("SELECT (board.enqueue(%s) IS NOT NULL)::text", ("u0001-u001f",)),
    ("SELECT count(*)::text FROM board.events_since(NULL)", ()),
    ("SELECT count(*)::text FROM board.events_since(board.latest_cursor())", ()),
    ("SELECT count(*)::text FROM board.events_since('d:d')", ()),
    ("SELECT board.configure_provider('p', 'https://p.test/a s').name", ()),
    ("SELECT (board.configure_provider('p', 'https://s.test/x')).name", ()),
    ("SELECT (board.configure_kind('work', ignored_paths => %s)).ignored_paths::text",
     (["$.at", '$."a b\\"c"[*].x', "$.*.y", '$."\\u00e9"'],)),
    ("SELECT board.configure_kind('work', ignored_paths => %s)::text", (["$.a b"],)),
    ("SELECT board._path_steps(%s)::text", ('$.a."b\\"c\\\\d"[2].*',)),
    ("SELECT board._ignored_pattern(%s)", (["$.a", '$."b.c"[0]', "$.*.d"],)),
    ("SELECT board._compare(%s, %s, %s)::text",
     ('{"a": 1, "b.c": [1], "x": {"d": 1}, "e": 2}', '{"a": 2, "b.c": [2], "x": {"d": 2}, "e": 3}',
      ["$.a", '$."b.c"[0]', "$.*.d"])),
    ("SELECT board.help('board.claim')", ()),
    ("SELECT board.help('s')", ()),
    ("SELECT (board.configure_kind('work', retry_delay => '10 s')).retry_delay = '10 s'", ()),
    ("SELECT (board.configure(reset => '{max_ttl}')).max_ttl = '7 days'", ()),
    ("SELECT board.promote('work', 'dry_run', 'olga')", ()),
    ("SELECT board.promote('work', 'shadow', 'olga')", ()),
    ("SELECT board.promote('work', 'live', 'olga', 'S')", ()),
    ("SELECT board.promote('work', 'live', 'olga', %s)", (" \n",)),
    ("SELECT board.record_actual('work', 'e', 's', '1')", ()),
    ("SELECT board.explain_divergence('work', 'e', 's', 'olga', 'S')", ()),
    ("SELECT (board.create_signing_key('k') ~ '^whsec_[A-Za-z0-9+/]{43}=$')::text", ()),
    ("SELECT board.import_signing_key('in', repeat('QUJD', 8))::text", ()),
    ("SELECT board.verify('k', board.sign('k', 'ms', %s), %s)::text", ("\\x \n", "\\x \n")),
    ("SELECT board.sign('k', 'a s', 'b')::text", ()),
    ("SELECT encode(board.hmac_sha256(%s, %s), 'hex')", (b"\\x\x00\xff", b"key\\")),
    ("SELECT board.idempotency_key('00000000-0000-0000-0000-000000000001', %s)", ("a\\nb",)),
    ("SELECT board.lock_key(%s)::text", ("a\\nb",)),
    ("SELECT board.lock_row('public.things', '2')::text", ()),
    ("SELECT count(*)::text FROM board.claim('a')", ()),
    ("SELECT count(*)::text FROM board.history AS h WHERE h.what !~ ' until '", ()),
    ("SELECT q.kind FROM board.queue AS q LIMIT 1", ()),
    ("SELECT h.depth::text FROM board.health AS h", ()),
)  # fmt: skip

# The same over HTTP: (action, arguments).
REQUESTS = (
    ("enqueue", '{"kind": "later", "run_at": "2031-04-03 02:01:00"}'),
    ("enqueue", '{"kind": "later", "run_at": "03/04/2031"}'),
    ("claim", '{"kinds": [null]}'),
    ("claim", '{"kinds": ["NULL"]}'),
    ("release", '{"id": "x", "delay": "1 day 2:00"}'),
    ("configure_kind", '{"name": "http", "retry_delay": "-1 day +02:03:04"}'),
    ("configure_kind", '{"name": "http", "retry_delay": "1 day 02:03:04", "min_agreement": 0.123}'),
    ("promotion_report", '{"kind": "http"}'),
)


@pytest.fixture
def boards(board_template: Template) -> Iterator[tuple[TestDb, TestDb]]:
    """Two boards, the second for sessions whose settings are hostile."""
    pair = (
        clone(board_template.server, board_template.name),
        clone(board_template.server, board_template.name),
    )
    yield pair
    for database in pair:
        database.close()
        drop_database(database.server, database.name)


def session(database: TestDb, settings: dict[str, str]) -> Connection:
    database.owner.execute(
        "CREATE TABLE public.things (id int PRIMARY KEY, at date DEFAULT '2030-02-01');"
        "INSERT INTO public.things VALUES (2)"
    )
    connection = database.connect()
    for name, value in settings.items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    return connection


def said(connection: Connection, query: LiteralString, arguments: tuple[Any, ...]) -> str:
    try:
        rows = connection.execute(query, arguments or None).fetchall()
    except psycopg.Error as error:
        return f"{error.sqlstate} {error.diag.message_primary} {error.diag.message_detail}"
    assert len(rows) == 1, query
    return str(rows[0][0])


def test_a_session_s_settings_change_nothing(boards: tuple[TestDb, TestDb]) -> None:
    usual, hostile = (session(boards[0], {}), session(boards[1], HOSTILE))
    assert hostile.execute("SHOW standard_conforming_strings").fetchone() == ("off",)
    different = [
        (query, *answers)
        for query, arguments in CALLS
        if len(set(answers := [said(one, query, arguments) for one in (usual, hostile)])) > 1
    ]
    assert different == []


def test_settings_change_nothing_over_http(boards: tuple[TestDb, TestDb]) -> None:
    query: LiteralString = "SELECT board.request(%s, %s, %s)::text"
    answers: list[list[str]] = []
    for database, settings in zip(boards, ({}, HOSTILE), strict=True):
        connection = session(database, settings)
        token = database.one("SELECT board.issue_token('a', '{operator}', '1 day')")
        answers.append(
            [
                re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|2026-[^\"]+", "*", said(connection, query, call))
                for call in [(token, *request) for request in REQUESTS]
            ]
        )
        answers[-1].append(
            str(
                database.rows("SELECT t.run_at AT TIME ZONE 'UTC' FROM board.tasks AS t ORDER BY 1")
            )
        )
    assert answers[0] == answers[1]


def test_a_day_has_24_hours(board_db: TestDb) -> None:
    """Berlin's clocks change in between; leases, delays and lives are counted in hours."""
    board_db.owner.execute("SELECT board.configure(max_ttl => '9 years')")
    board_db.owner.execute("SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[4]))")
    berlin = board_db.connect()
    berlin.execute("SET timezone = 'Europe/Berlin'")
    year = 200 * 86400
    for make, look in DAYS:
        berlin.execute(make)
        assert board_db.one(look) == year, make


RETIRED: LiteralString = (
    "SELECT extract(epoch FROM o.valid_until - n.created_at)::int"
    "  FROM board.signing_secrets AS o, board.signing_secrets AS n"
    " WHERE o.version = 1 AND n.version = 2"
)
LEASE: LiteralString = (
    "SELECT extract(epoch FROM t.leased_until - t.heartbeat_at)::int FROM board.tasks AS t"
    " WHERE t.status = 'in_progress'"
)
LATER: LiteralString = (
    "SELECT round(extract(epoch FROM t.run_at - e.created_at) / 60)::int * 60"
    "  FROM board.tasks AS t JOIN board.task_events AS e ON e.task_id = t.id"
    " WHERE t.status = 'scheduled' ORDER BY e.seq DESC LIMIT 1"
)
DAYS: tuple[tuple[LiteralString, LiteralString], ...] = (
    ("SELECT board.claim('a', '200 days')", LEASE),
    (
        (
            "SELECT board.heartbeat(t.id, 'a', '200 days') FROM board.tasks AS t"
            " WHERE t.leased_by = 'a'"
        ),
        LEASE,
    ),
    (
        (
            "SELECT board.fail(t.id, 'a', retry_in => '200 days') FROM board.tasks AS t"
            " WHERE t.leased_by = 'a'"
        ),
        LATER,
    ),
    (
        (
            "SELECT board.claim_task(t.id, 'a', '200 days') FROM board.tasks AS t"
            " WHERE t.status = 'pending' ORDER BY t.id LIMIT 1"
        ),
        LEASE,
    ),
    (
        "SELECT board.release(t.id, 'a', '200 days') FROM board.tasks AS t WHERE t.leased_by = 'a'",
        LATER,
    ),
    (
        "SELECT board.acquire_lock('r', 'a', '200 days')",
        "SELECT extract(epoch FROM l.held_until - l.renewed_at)::int FROM board.locks AS l",
    ),
    (
        "SELECT board.renew_lock('r', 'a', l.token, '200 days') FROM board.locks AS l",
        "SELECT extract(epoch FROM l.held_until - l.renewed_at)::int FROM board.locks AS l",
    ),
    (
        "SELECT board.issue_token('a', '{agent}', '200 days')",
        "SELECT extract(epoch FROM t.expires_at - t.created_at)::int FROM board.access_tokens AS t",
    ),
    (
        "SELECT board.create_signing_key('k'), board.rotate_signing_key('k', '200 days')",
        RETIRED,
    ),
)


# -- the sources -----------------------------------------------------------------------------------

TOKEN = re.compile(
    r"--[^\n]*"
    r"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$"
    r"|\b[eE]'(?:[^'\\]|''|\\.)*'"
    r"|'(?P<plain>(?:[^']|'')*)'",
    re.DOTALL,
)


def test_no_body_has_a_backslash_that_a_setting_turns(board_db: TestDb) -> None:
    r"""With standard_conforming_strings off '\d' is the letter d: E'' and $re$…$re$ are not."""
    bodies = board_db.rows(
        "SELECT p.proname, p.prosrc FROM pg_proc AS p WHERE p.pronamespace = 'board'::regnamespace"
    )
    assert len(bodies) > 200
    turned = [
        f"{name}: {token[0][:60]}"
        for name, body in bodies
        for token in TOKEN.finditer(body)
        if token["plain"] and "\\" in token["plain"]
    ]
    assert turned == []


SHAPE: LiteralString = """
SELECT 'function ' || p.oid::regprocedure, md5(p.prosrc || coalesce(p.proconfig::text, '')
       || coalesce(pg_get_function_arguments(p.oid), ''))
  FROM pg_proc AS p WHERE p.pronamespace = 'board'::regnamespace
UNION ALL
SELECT 'view ' || c.relname, md5(pg_get_viewdef(c.oid))
  FROM pg_class AS c WHERE c.relnamespace = 'board'::regnamespace AND c.relkind = 'v'
UNION ALL
SELECT 'constraint ' || c.conname, md5(pg_get_constraintdef(c.oid))
  FROM pg_constraint AS c WHERE c.connamespace = 'board'::regnamespace
UNION ALL
SELECT 'comment ' || d.objoid::regprocedure::text, md5(d.description)
  FROM pg_description AS d JOIN pg_proc AS p ON p.oid = d.objoid
 WHERE d.classoid = 'pg_proc'::regclass AND p.pronamespace = 'board'::regnamespace
"""


def test_an_installation_under_such_settings_is_the_same(board_db: TestDb) -> None:
    """A database whose defaults are hostile gets the same functions, views and rules."""
    server = board_db.server
    name = create_database(server, "hostile")
    hostile = TestDb(server, name)
    try:
        with psycopg.connect(server.database(name), autocommit=True) as connection:
            for setting, value in HOSTILE.items():
                if setting != "search_path":
                    connection.execute("SELECT set_config(%s, %s, false)", (setting, value))
            connection.execute(board_script().encode())
        assert sorted(hostile.rows(SHAPE)) == sorted(board_db.rows(SHAPE))
    finally:
        hostile.close()
        drop_database(server, name)


# Their spans are compared or kept, and not added to a moment; or counted in seconds.
NO_MOMENT = {
    "configure",
    "configure_kind",
    "configure_provider",
    "drop_limit",
    "enqueue",
    "set_limit",
    "throttle",
    "verify",
}


def test_who_adds_a_span_to_a_moment_pins_the_zone(board_db: TestDb) -> None:
    """A public function with an interval: in Berlin a day has 23 to 25 hours, here 24."""
    free = {
        name
        for (name,) in board_db.rows(
            "SELECT p.proname FROM pg_proc AS p"
            " WHERE p.pronamespace = 'board'::regnamespace AND p.proname !~ '^_' AND p.prosecdef"
            "   AND 'interval'::regtype = ANY (p.proargtypes::oid[])"
            "   AND NOT coalesce(p.proconfig, '{}')::text ~* 'timezone=UTC'"
        )
    }
    assert free == NO_MOMENT
