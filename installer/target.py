"""Which server a command talks to: --dsn, else libpq's environment, else the embedded one."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from installer.errors import Exit, InstallerError
from installer.server import EmbeddedServer, ServerError

EMBEDDED_DATABASE = "board"
_LIBPQ = ("PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE")

Connection = psycopg.Connection[tuple[object, ...]]


@dataclass(frozen=True)
class Target:
    """A database to work on."""

    dsn: str  # '' leaves everything to libpq's environment
    source: str  # for people: where that came from
    embedded: EmbeddedServer | None = None

    def psql(self) -> str:
        """The shell line that opens psql here. Without a password: psql asks or finds it."""
        if self.embedded is None:
            if not self.dsn:
                return "psql"
            return "psql " + shlex.quote(without_secrets(self.dsn))
        program = shlex.quote(str(self.embedded.bin_dir / "psql"))
        return f"{program} {shlex.quote(self.dsn)}"


# What of a connection string may be printed. A list of what may, not of what may not: the next
# libpq brings another secret.
_PRINTABLE = frozenset(
    (
        *("host", "hostaddr", "port", "dbname", "user", "service", "passfile", "options"),
        *("sslmode", "sslnegotiation", "sslcert", "sslkey", "sslrootcert", "sslcrl", "sslcrldir"),
        *("sslcertmode", "sslsni", "channel_binding", "requirepeer", "require_auth"),
        *("gssencmode", "krbsrvname", "gsslib", "gssdelegation"),
        *("target_session_attrs", "load_balance_hosts", "connect_timeout"),
    )
)


def without_secrets(dsn: str) -> str:
    """A connection string that may be shown: without password, sslpassword and their kin."""
    parts = conninfo_to_dict(dsn)
    shown = {name: value for name, value in parts.items() if name in _PRINTABLE}
    return psycopg.conninfo.make_conninfo("", **shown)


@contextmanager
def open_target(dsn: str | None, *, keep_running: bool = False) -> Iterator[Target]:
    """The target of a command. An embedded server that had to be started is stopped afterwards,
    unless keep_running: somebody will want to look at what the command has done."""
    if dsn is not None:
        yield Target(dsn, _described(dsn))
        return
    told = [name for name in _LIBPQ if os.environ.get(name)]
    if told:
        yield Target("", f"libpq's environment ({', '.join(told)})")
        return
    with embedded_target(keep_running=keep_running) as target:
        yield target


def _described(dsn: str) -> str:
    """The server and database that a connection string names, for people; never its password."""
    try:
        parts = conninfo_to_dict(dsn)
    except psycopg.Error:
        # libpq's words name the place, and that can be a part of the password.
        raise InstallerError(
            Exit.USAGE,
            "--dsn is no connection string",
            "Write it as 'host=db dbname=app user=owner' or as postgresql://owner@db/app. A value "
            "with blanks stands in '', and in a URI what is no letter or digit is %-encoded.",
        ) from None
    if "@" in str(parts.get("host", "")):
        raise InstallerError(
            Exit.USAGE,
            "--dsn: there is an @ in the name of the host",
            "In a URI an @ in the user's name or the password is written as %40.",
        )
    told = [f"{name}={parts[name]}" for name in ("host", "port", "dbname", "user") if name in parts]
    return "--dsn " + " ".join(told) if told else "--dsn, and libpq's defaults"


@contextmanager
def embedded_target(*, keep_running: bool = False) -> Iterator[Target]:
    """The embedded server's database for board."""
    try:
        server = EmbeddedServer(keep_running=keep_running)
        with server:
            _ensure_database(server)
            yield Target(
                server.dsn(EMBEDDED_DATABASE),
                f"embedded PostgreSQL {server.installation.version}, data in {server.data_dir}",
                server,
            )
    except ServerError as error:
        raise InstallerError(
            Exit.UNREACHABLE, str(error), "Name a server with --dsn or PGHOST."
        ) from error


def connect(target: Target, application: str = "board-installer") -> Connection:
    """A connection that says who it is and leaves transactions to the caller."""
    parameters = conninfo_to_dict(target.dsn)
    parameters.setdefault("connect_timeout", "15")
    parameters.setdefault("application_name", application)
    try:
        connection = psycopg.connect(
            psycopg.conninfo.make_conninfo("", **parameters),
            autocommit=True,
            prepare_threshold=None,
            client_encoding="utf8",
        )
    except psycopg.Error as error:
        raise InstallerError(
            Exit.UNREACHABLE,
            f"no connection ({target.source}): {str(error).strip()}",
            "Check --dsn or the PG* variables; without either, the embedded server is used.",
        ) from error
    if connection.info.server_version < 150000:
        number = connection.info.server_version // 10000
        connection.close()
        raise InstallerError(
            Exit.REFUSED, f"this server is PostgreSQL {number}", "board needs 15 or later."
        )
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    if connection.info.parameter_status("in_hot_standby") != "on":
        connection.read_only = False
    # Times are read as PostgreSQL's own format, whatever the database is set to. A pooler passes
    # this setting on.
    connection.execute("SET DateStyle = ISO")
    return connection


def _ensure_database(server: EmbeddedServer) -> None:
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        found = connection.execute(
            "SELECT FROM pg_catalog.pg_database WHERE datname = %s", [EMBEDDED_DATABASE]
        )
        if found.fetchone() is None:
            made = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(EMBEDDED_DATABASE))
            # Another process may make it at this moment.
            with suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                connection.execute(made)
