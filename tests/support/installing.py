"""A database without a board, the command line pointed at it, and a role that owns it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

from tests.support.servers import Server
from tests.support.testdb import create_database, drop_database

ROOT = Path(__file__).resolve().parent.parent.parent
PASSWORD = "of-a-test-role"  # noqa: S105


@dataclass
class Empty:
    """A database without a board, and the command line pointed at it."""

    server: Server
    name: str
    connection: psycopg.Connection[tuple[Any, ...]]

    @property
    def dsn(self) -> str:
        return self.server.database(self.name)

    def run(self, *arguments: str, dsn: str | None = None, code: int = 0) -> str:
        done = run(*arguments, "--dsn", dsn or self.dsn)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def rows(self, query: LiteralString, *arguments: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(query, arguments or None).fetchall()

    def one(self, query: LiteralString, *arguments: Any) -> Any:
        return self.rows(query, *arguments)[0][0]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
    return subprocess.run(
        [sys.executable, "-m", "installer", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**kept, "COLUMNS": "160", **environment},
    )


@pytest.fixture
def empty(server: Server) -> Iterator[Empty]:
    name = create_database(server, "empty")
    with psycopg.connect(server.database(name), autocommit=True) as connection:
        yield Empty(server, name, connection)
    drop_database(server, name)


@pytest.fixture
def plain_user(empty: Empty) -> Iterator[str]:
    """A role that may log in and owns the database, and is nothing more; roles of no other board
    on the server have its prefix."""
    name = f"{empty.name}_owner"
    empty.connection.execute(
        sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(name), PASSWORD)
    )
    empty.connection.execute(
        sql.SQL("ALTER DATABASE {} OWNER TO {}").format(
            sql.Identifier(empty.name), sql.Identifier(name)
        )
    )
    yield name
    empty.connection.execute(
        sql.SQL("REASSIGN OWNED BY {} TO CURRENT_USER").format(identifier(name))
    )
    empty.connection.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(identifier(name)))
    empty.connection.execute(sql.SQL("DROP ROLE {}").format(identifier(name)))


def identifier(name: str) -> sql.Identifier:
    return sql.Identifier(name)
