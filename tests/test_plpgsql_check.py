"""Every PL/pgSQL function of the board under plpgsql_check, on a server that has it.

The embedded server has no such extension, so this starts a private server from the PostgreSQL of
this machine that does (Debian's postgresql-NN-plpgsql-check).
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from installer.server import Cluster
from tests.support.script import board_script
from tests.support.tools import PLPGSQL_CHECK, installation_with

# A trigger function is checked once per table that it is on, with its transition tables.
CHECK = r"""
    SELECT DISTINCT p.oid::regprocedure::text, coalesce(t.tgrelid::regclass::text, '-'),
           c.level, c.lineno, c.statement, c.sqlstate, c.message, c.detail, c.hint
      FROM pg_catalog.pg_proc AS p
      JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang AND l.lanname = 'plpgsql'
      LEFT JOIN pg_catalog.pg_trigger AS t ON t.tgfoid = p.oid AND NOT t.tgisinternal
     CROSS JOIN LATERAL plpgsql_check_function_tb(
               p.oid, coalesce(t.tgrelid, 0), fatal_errors => false,
               security_warnings => true,
               oldtable => t.tgoldtable, newtable => t.tgnewtable) AS c
     WHERE p.pronamespace = 'board'::regnamespace
       AND (t.oid IS NOT NULL OR p.prorettype <> 'trigger'::regtype)
       -- lock_row puts a statement together from quoted names; the checker does not follow format()
       -- into a variable.
       AND NOT (c.level = 'security' AND p.proname = 'lock_row')
       -- A body that ends in an endless loop, left by RETURN alone, is reported as one that may run
       -- out without RETURN.
       AND NOT (c.sqlstate = '2F005'
                AND p.prosrc ~ 'END LOOP;\s*END;\s*$' AND p.prosrc !~ '\mEXIT\M')
     ORDER BY 1, 4
"""


@pytest.fixture(scope="module")
def checked() -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    PLPGSQL_CHECK.require()
    installation = installation_with("plpgsql_check")
    assert installation is not None
    cluster = Cluster(installation).start()
    try:
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            with connection.transaction():
                connection.execute(board_script().encode())
            connection.execute("CREATE EXTENSION plpgsql_check")
            yield connection
    finally:
        cluster.remove()


def test_plpgsql_check(checked: psycopg.Connection[tuple[object, ...]]) -> None:
    said = checked.execute(CHECK).fetchall()
    if said:
        lines = [" | ".join(str(part) for part in row if part is not None) for row in said]
        pytest.fail(f"{len(said)} findings\n" + "\n".join(lines), pytrace=False)


def test_every_trigger_function_is_on_a_table(
    checked: psycopg.Connection[tuple[object, ...]],
) -> None:
    idle = checked.execute(
        "SELECT p.oid::regprocedure::text FROM pg_catalog.pg_proc AS p"
        " WHERE p.pronamespace = 'board'::regnamespace AND p.prorettype = 'trigger'::regtype"
        " AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger AS t WHERE t.tgfoid = p.oid)"
    ).fetchall()
    assert idle == []


def test_the_check_finds_a_mistake(checked: psycopg.Connection[tuple[object, ...]]) -> None:
    """The check itself is awake: a function with an unknown column does not pass."""
    with checked.transaction(force_rollback=True):
        checked.execute("SET LOCAL check_function_bodies = off")
        checked.execute(
            "CREATE FUNCTION board._wrong() RETURNS int LANGUAGE plpgsql AS"
            " $$ BEGIN RETURN (SELECT t.no_such_column FROM board.tasks AS t); END; $$"
        )
        said = checked.execute(CHECK).fetchall()
    assert any(row[0] == "board._wrong()" and row[2] == "error" for row in said)
