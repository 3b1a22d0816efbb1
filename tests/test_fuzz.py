"""Anything at all, into every public function: documented refusals or an answer, nothing else.

The functions, their arguments and the errors that they document come from the catalog, so that a
new function is in here without being written down. Each is called some 2,000 times as a login with
every right on the board, half of the calls on a board that keeps what earlier calls changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from psycopg import sql

from tests.support.fuzz import Pool, arguments, literal, request_arguments
from tests.support.testdb import Connection, TestDb

CALLS_A_BATCH = 100
BATCHES = 20
# What any statement may end with, whoever wrote it.
ALWAYS_POSSIBLE = frozenset({"40001", "40P01"})
CODE = re.compile(r"\b(?=[0-9A-Z]*[0-9])[0-9A-Z]{5}\b")

SCENE = """
CREATE SCHEMA fuzz;
GRANT USAGE ON SCHEMA fuzz TO PUBLIC;
CREATE TABLE fuzz.orders (id text PRIMARY KEY, note text);
CREATE TABLE fuzz.lines (a int, b int, PRIMARY KEY (a, b));
INSERT INTO fuzz.orders VALUES ('order_1', 'x'), ('', NULL);
GRANT SELECT, UPDATE ON fuzz.orders, fuzz.lines TO PUBLIC;

-- Runs statements one by one and says how each ended: '' or a SQLSTATE with its message. With
-- keep = false a success is undone as well.
CREATE FUNCTION fuzz.attempts(statements text[], keep boolean) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
    _statement text;
    _ended text[] := '{}';
BEGIN
    FOREACH _statement IN ARRAY statements LOOP
        BEGIN
            EXECUTE _statement;
            IF NOT keep THEN
                RAISE EXCEPTION USING ERRCODE = 'FUZZD', MESSAGE = '';
            END IF;
            _ended := array_append(_ended, '');
        EXCEPTION
            WHEN SQLSTATE 'FUZZD' THEN
                _ended := array_append(_ended, '');
            WHEN OTHERS THEN
                _ended := array_append(_ended, SQLSTATE || ' ' || left(SQLERRM, 200));
        END;
    END LOOP;
    RETURN _ended;
END;
$$;

-- What the board's tables hold, in a few bytes.
CREATE FUNCTION fuzz.digest() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    _table record;
    _of_one text;
    _all text := '';
BEGIN
    FOR _table IN
        SELECT c.oid::regclass AS name FROM pg_class AS c
         WHERE c.relnamespace = 'board'::regnamespace AND c.relkind = 'r' ORDER BY c.oid
    LOOP
        EXECUTE format('SELECT count(*) || '':'' || coalesce(sum(hashtextextended(t::text, 0)), 0)'
                       ' FROM %s AS t', _table.name) INTO _of_one;
        _all := _all || _table.name || _of_one || ' ';
    END LOOP;
    RETURN _all;
END;
$$;
"""


@dataclass
class Function:
    """A public function as the catalog has it."""

    name: str
    arguments: list[tuple[str, str]]
    required: int
    documented: frozenset[str]
    ended: dict[str, int] = field(default_factory=dict)


def functions(database: TestDb) -> list[Function]:
    rows = database.rows(
        "SELECT p.proname,"
        "       coalesce(array_agg(a.name ORDER BY a.place) FILTER (WHERE a.name <> ''), '{}'),"
        "       coalesce(array_agg(format_type(a.type, NULL) ORDER BY a.place)"
        "                FILTER (WHERE a.name <> ''), '{}'),"
        "       p.pronargs - p.pronargdefaults, obj_description(p.oid, 'pg_proc')"
        "  FROM pg_proc AS p"
        "  LEFT JOIN LATERAL unnest(p.proargnames[:p.pronargs], p.proargtypes::oid[])"
        "       WITH ORDINALITY AS a (name, type, place) ON true"
        " WHERE p.pronamespace = 'board'::regnamespace AND p.proname !~ '^_'"
        " GROUP BY p.oid ORDER BY p.proname"
    )
    found = [
        Function(name, list(zip(names, types, strict=True)), required, _codes(comment))
        for name, names, types, required, comment in rows
    ]
    everything = frozenset[str]().union(*(one.documented for one in found))
    for one in found:
        if one.name == "request":  # "and whatever the verb raises"
            one.documented = everything
    return found


def _codes(comment: str | None) -> frozenset[str]:
    return frozenset(CODE.findall(comment or ""))


@pytest.fixture
def scene(board_db: TestDb) -> Iterator[tuple[Connection, Pool]]:
    """A board with something of everything on it, and a login that may do everything."""
    owner = board_db.owner
    owner.execute(SCENE.encode())
    name = f"board_fuzzer_{os.getpid()}"
    who = sql.Identifier(name)
    owner.execute(
        sql.SQL("CREATE ROLE {}; GRANT board_admin, board_gateway TO {}").format(who, who)
    )
    fuzzer = board_db.connect(role=name, autocommit=False)
    fuzzer.execute("SET SESSION statement_timeout = '60s'")
    fuzzer.commit()
    yield fuzzer, Pool(board_db)
    fuzzer.close()
    owner.execute(sql.SQL("DROP OWNED BY {}; DROP ROLE {}").format(who, who))


def call(rng: Random, function: Function, pool: Pool) -> str:
    values = (
        request_arguments(rng, pool)
        if function.name == "request"
        else arguments(rng, function.arguments, function.required, pool)
    )
    return f"SELECT * FROM board.{function.name}({', '.join(values)})"


def fuzz(function: Function, fuzzer: Connection, pool: Pool) -> dict[str, str]:
    """How calls ended that should not have, each with an example."""
    wrong: dict[str, str] = {}

    # Hypothesis gives the seeds; it would be ten times slower if it drew every value, and a failure
    # names its statement, so that there is nothing to shrink.
    @settings(
        max_examples=BATCHES,
        phases=(Phase.generate,),
        deadline=None,
        database=None,
        derandomize="BOARD_FUZZ_RANDOM" not in os.environ,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**63), st.booleans())
    def batch(seed: int, keep: bool) -> None:
        rng = Random(f"{function.name} {seed}")
        statements = [call(rng, function, pool) for _ in range(CALLS_A_BATCH)]
        try:
            before = None if keep else _one(fuzzer, "SELECT fuzz.digest()")
            endings = _one(fuzzer, "SELECT fuzz.attempts(%s, %s)", statements, keep)
            if not keep and _one(fuzzer, "SELECT fuzz.digest()") != before:
                wrong["something was left behind by a call that failed"] = str(statements)
        finally:
            fuzzer.rollback()
        for ending, statement in zip(endings, statements, strict=True):
            code = ending[:5]
            function.ended[code] = function.ended.get(code, 0) + 1
            if code and code not in function.documented | ALWAYS_POSSIBLE:
                wrong.setdefault(ending, statement[:300])

    batch()
    return wrong


def _one(connection: Connection, query: str, *arguments: Any) -> Any:
    row = connection.execute(query.encode(), arguments or None).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_anything_into_every_function(
    board_db: TestDb, scene: tuple[Connection, Pool], subtests: pytest.Subtests
) -> None:
    fuzzer, pool = scene
    found = functions(board_db)
    assert len(found) > 50
    for function in found:
        with subtests.test(function=function.name):
            wrong = fuzz(function, fuzzer, pool)
            assert wrong == {}, f"{function.name} documents {sorted(function.documented)}"
            if function.arguments:
                assert sum(function.ended.values()) >= 2_000


def test_literals_are_what_they_say(board_db: TestDb) -> None:
    """The fuzzer's own quoting: what it writes into a statement comes back."""
    for value in ("'", "''", "\\", "\\'", "$$", "%s", "\n", "💸", "E'\\x'"):
        assert _one(board_db.owner, f"SELECT {literal(value, 'text')}") == value
