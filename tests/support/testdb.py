"""Databases for tests: a template with board in it, and a clone of it for whoever asks."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg import sql

from tests.support.servers import Server

Connection = psycopg.Connection[tuple[Any, ...]]

SETTINGS = {
    # Mistakes that PL/pgSQL finds only while it runs: a shadowed name, a second row, a row that
    # does not fit its variables.
    "plpgsql.extra_errors": "shadowed_variables, too_many_rows, strict_multi_assignment",
    # A test that waits for itself fails, and soon.
    "statement_timeout": "60s",
}
WAIT_SECONDS = 20.0

_numbers = itertools.count(1)


class TestDb:
    """A database of one test. Connections made through it are closed with it."""

    __test__ = False

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self.name = name
        self.dsn = server.database(name)
        self._open: list[Connection] = []

    # -- connections -------------------------------------------------------------------------

    def connect(
        self, *, autocommit: bool = True, role: str | None = None, **options: Any
    ) -> Connection:
        """A session of its own; `role` becomes its SET ROLE, other arguments go to psycopg."""
        connection: Connection = psycopg.connect(self.dsn, autocommit=True, **options)
        self._open.append(connection)
        if role is not None:
            connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
        connection.autocommit = autocommit
        return connection

    @cached_property
    def owner(self) -> Connection:
        """The owner's session, in autocommit: it sets the scene and looks at what happened."""
        return self.connect(application_name="owner")

    def close(self) -> None:
        for connection in self._open:
            connection.close()
        self._open.clear()

    # -- looking -----------------------------------------------------------------------------

    def rows(self, query: LiteralString, *arguments: Any) -> list[tuple[Any, ...]]:
        return self.owner.execute(query, arguments or None).fetchall()

    def one(self, query: LiteralString, *arguments: Any) -> Any:
        """The first column of the only row."""
        found = self.rows(query, *arguments)
        assert len(found) == 1, f"{len(found)} rows instead of one from {query}"
        return found[0][0]

    def status(self, task_id: UUID) -> str:
        return str(self.one("SELECT t.status FROM board.tasks AS t WHERE t.id = %s", task_id))

    def events(self, task_id: UUID) -> list[str]:
        """The types of a task's events, oldest first."""
        query: LiteralString = (
            "SELECT e.type FROM board.task_events AS e WHERE e.task_id = %s ORDER BY e.seq"
        )
        return [row[0] for row in self.rows(query, task_id)]

    # -- waiting: never for a time, always for a fact ------------------------------------------

    def wait_for(self, query: LiteralString, *arguments: Any, seconds: float = WAIT_SECONDS) -> Any:
        """Ask until the first column is true; return it."""
        deadline = time.monotonic() + seconds
        while True:
            answer = self.one(query, *arguments)
            if answer:
                return answer
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {seconds:g} s: {query} {arguments}")
            time.sleep(0.01)

    def wait_until_blocked(
        self,
        waiter: Connection | int,
        by: Connection | int | None = None,
        seconds: float = WAIT_SECONDS,
    ) -> None:
        """Until that session waits for a lock that another one (or `by`) holds."""
        waiting = _pid(waiter)
        if by is None:
            self.wait_for(
                "SELECT cardinality(pg_catalog.pg_blocking_pids(%s)) > 0", waiting, seconds=seconds
            )
        else:
            self.wait_for(
                "SELECT %s = ANY (pg_catalog.pg_blocking_pids(%s))",
                _pid(by),
                waiting,
                seconds=seconds,
            )

    # -- time travel: rows are aged, clocks are not ---------------------------------------------

    def silently(self, query: LiteralString, *arguments: Any) -> int:
        """A change by the owner that fires no ordinary trigger: no event, no notification."""
        with self.owner.transaction():
            self.owner.execute("SET LOCAL session_replication_role = replica")
            return self.owner.execute(query, arguments or None).rowcount

    def age_lease(self, task_id: UUID | Sequence[UUID], by: str = "1 hour") -> None:
        """Put a lease's end into the past by that much, as if its holder had gone silent."""
        ids = [task_id] if isinstance(task_id, UUID) else list(task_id)
        changed = self.silently(
            "UPDATE board.tasks AS t SET leased_until = clock_timestamp() - %s::interval,"
            " due_at = CASE WHEN t.due_at IS NOT NULL THEN clock_timestamp() - %s::interval END,"
            " heartbeat_at = least(t.heartbeat_at, clock_timestamp() - %s::interval)"
            " WHERE t.id = ANY (%s) AND t.leased_until IS NOT NULL",
            by,
            by,
            by,
            ids,
        )
        assert changed == len(ids), f"{len(ids)} leases to age, {changed} found"

    def make_due(self, task_id: UUID, by: str = "1 second") -> None:
        """Put a scheduled task's time into the past."""
        changed = self.silently(
            "UPDATE board.tasks AS t SET run_at = clock_timestamp() - %s::interval,"
            " due_at = CASE WHEN t.due_at IS NOT NULL THEN clock_timestamp() - %s::interval END"
            " WHERE t.id = %s",
            by,
            by,
            task_id,
        )
        assert changed == 1, f"no task {task_id}"


def _pid(session: Connection | int) -> int:
    return session if isinstance(session, int) else session.info.backend_pid


def create_database(server: Server, purpose: str, template: str | None = None) -> str:
    """A new database on the server; its name tells the test run that made it."""
    name = f"board_test_{os.getpid()}_{purpose}_{next(_numbers)}"
    making = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
    if template is not None:
        making += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
        if server.cluster is not None:
            # Twice as fast where a checkpoint costs nothing.
            making += sql.SQL(" STRATEGY FILE_COPY")
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute(making)
        for setting, value in SETTINGS.items():
            connection.execute(
                sql.SQL("ALTER DATABASE {} SET {} = {}").format(
                    sql.Identifier(name), sql.SQL(setting), sql.Literal(value)
                )
            )
    return name


def drop_database(server: Server, name: str) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )


@contextmanager
def new_database(server: Server, purpose: str, template: str | None = None) -> Iterator[TestDb]:
    """A database for a block. However that ends, with a skip too, its sessions end and it goes."""
    made = TestDb(server, create_database(server, purpose, template))
    try:
        yield made
    finally:
        made.close()
        drop_database(server, made.name)


def make_template(
    server: Server, purpose: str, fill: Callable[[Connection], None], base: str | None = None
) -> str:
    """A database to clone from, filled once."""
    name = create_database(server, purpose, template=base)
    try:
        with psycopg.connect(server.database(name), autocommit=True) as connection:
            fill(connection)
    except BaseException:  # also a skip: nothing is left behind
        drop_database(server, name)
        raise
    return name


def clone(server: Server, template: str, purpose: str = "db") -> TestDb:
    return TestDb(server, create_database(server, purpose, template=template))
