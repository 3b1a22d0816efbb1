"""One transaction, under the installers' lock, again while others are in the way.

What decides is the SQLSTATE, the table or the function in the server's source that an error names,
and never its words: those are in the server's language.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import psycopg
from psycopg.rows import tuple_row

from installer import assemble
from installer.errors import Exit, InstallerError
from installer.target import Connection

T = TypeVar("T")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Patience:
    """How long a command waits for others, in seconds."""

    total: float = 60.0
    lock: float = 3.0  # lock_timeout of a single statement


def in_one_transaction(
    connection: Connection, schema: str, work: Callable[[], T], patience: Patience, say: Say
) -> T:
    """Runs work in one transaction; when others are in the way, all of it again."""
    deadline = time.monotonic() + patience.total
    pause = 0.1
    said = ""
    while True:
        try:
            with connection.transaction():
                prepare(connection, lock_timeout=patience.lock)
                return work()
        except psycopg.Error as error:
            if not _others_in_the_way(error):
                raise _failure(connection, error) from error
            what = _who_is_in_the_way(connection, schema, error)
            if time.monotonic() + pause > deadline:
                raise InstallerError(
                    Exit.LOCKED,
                    f"{what} (for {patience.total:g} s)",
                    "Nothing was changed. Try at a quieter moment, or with a longer --wait.",
                ) from error
            if what != said:
                say(f"{what}; trying again for up to {patience.total:g} s")
                said = what
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, 2.0)


def prepare(connection: Connection, *, lock_timeout: float) -> None:
    """Settings of this transaction: nothing that the role or the database is set to gets in."""
    connection.execute(
        """
        SELECT pg_catalog.set_config(s.name, s.value, true)
        FROM (VALUES ('search_path', 'pg_catalog, pg_temp'),
                     ('lock_timeout', %s),
                     ('statement_timeout', '0'),
                     ('idle_in_transaction_session_timeout', '0'),
                     ('standard_conforming_strings', 'on'),
                     ('DateStyle', 'ISO'),
                     ('IntervalStyle', 'postgres')) AS s (name, value)
        """,
        [f"{max(1, int(lock_timeout * 1000))}ms"],
    )


def lock_out_installers(connection: Connection, schema: str, patience: Patience) -> None:
    """Until the end of the transaction no second installer of that board gets further than this."""
    prepare(connection, lock_timeout=0.2)
    connection.execute(assemble.guard("lock_installers", schema).encode())
    prepare(connection, lock_timeout=patience.lock)


def told(error: psycopg.Error) -> str:
    """What the server said, with what helps to find the place."""
    diagnosis = error.diag
    if diagnosis.message_primary is None:
        return str(error).strip()
    lines = [f"{diagnosis.severity}: {diagnosis.message_primary} ({error.sqlstate})"]
    for label, text in (
        ("detail", diagnosis.message_detail),
        ("hint", diagnosis.message_hint),
        ("context", diagnosis.context),
    ):
        if text:
            lines.append(f"{label}: {text}")
    return "\n".join(lines)


def _failure(connection: Connection, error: psycopg.Error) -> InstallerError:
    if connection.closed:
        hint = (
            "The connection broke; unless it had just committed, nothing was changed: "
            "python -m installer status"
        )
        return InstallerError(Exit.FAILED, told(error), hint)
    return InstallerError(Exit.FAILED, told(error), "Nothing was changed.")


def _others_in_the_way(error: psycopg.Error) -> bool:
    """Whether the same transaction may well succeed in a moment."""
    if error.sqlstate in ("55P03", "40P01", "40001"):  # lock_timeout, deadlock, serialization
        return True
    if error.sqlstate == "42P06":  # the schema was made since this transaction looked for it
        return True
    if error.sqlstate == "XX000":  # two transactions change one row of a shared catalog
        return error.diag.source_function in ("simple_heap_update", "simple_heap_delete")
    # Two databases of one cluster make the same role, two sessions the same schema.
    shared = ("pg_authid", "pg_auth_members", "pg_namespace")
    return error.sqlstate == "23505" and error.diag.table_name in shared


def _who_is_in_the_way(connection: Connection, schema: str, error: psycopg.Error) -> str:
    """In one line: what is waited for and, where it can be told, which sessions have it."""
    what = error.diag.message_primary or str(error)
    if error.sqlstate == "55P03" and error.diag.message_detail:
        return f"{what}: {error.diag.message_detail}"
    if error.sqlstate in ("42P06", "23505", "40001", "40P01") or connection.closed:
        return what
    # A CREATE SCHEMA of that name, waited for at the index of schema names until that transaction
    # ends. Which of those that write is not to be seen any more.
    cursor = connection.cursor(row_factory=tuple_row)
    query = assemble.holders("l.locktype = 'transactionid' AND a.datname = current_database()")
    cursor.execute(query.encode())
    row = cursor.fetchone()
    return f"another session is creating schema {schema}; these write: {row[0]}" if row else what
