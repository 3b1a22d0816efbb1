"""The server that is measured: private, and as careful with the disk as a real one."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from installer.server import Cluster, Installation, installations
from tests.bench import pgbench

Connection = psycopg.Connection[tuple[Any, ...]]

SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "autovacuum_naptime": "5s",
    "checkpoint_timeout": "15min",
    "max_wal_size": "8GB",
    "max_connections": "100",
    "log_error_verbosity": "default",
}


def memory_settings() -> dict[str, str]:
    """An eighth of the machine's memory for buffers, 2 GB at most."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"shared_buffers": f"{min(memory // 8, 2 * 2**30) // 2**20}MB"}


def choose(wanted: str) -> Installation:
    """`embedded`, or a major version such as 15, of those that this machine has."""
    found = installations()
    for one in reversed(found):
        if str(one.major) == wanted or wanted in one.origin:
            return one
    have = ", ".join(one.label for one in found) or "none"
    raise SystemExit(f"no PostgreSQL {wanted} here; there is: {have}")


class Database:
    """One database of the server, and the owner's session in it."""

    def __init__(self, name: str, dsn: str) -> None:
        self.name = name
        self.dsn = dsn
        self.owner: Connection = psycopg.connect(dsn, autocommit=True)

    def execute(self, statement: str, *arguments: Any) -> None:
        self.owner.execute(statement.encode(), arguments or None)

    def value(self, query: str, *arguments: Any) -> Any:
        row = self.owner.execute(query.encode(), arguments or None).fetchone()
        assert row is not None
        return row[0]

    def connect(self, autocommit: bool = True) -> Connection:
        """A session of an agent: it prepares its statements, as a long-lived client would."""
        return psycopg.connect(self.dsn, autocommit=autocommit, prepare_threshold=0)


class Host:
    """The running server."""

    def __init__(self, installation: Installation) -> None:
        self._cluster = Cluster(installation, {**SETTINGS, **memory_settings()})
        self.label = installation.label
        self._cluster.start()
        self.pgbench = pgbench.find(self._cluster.bin_dir)
        self._databases: dict[str, Database] = {}
        self._admin: Connection = psycopg.connect(self._cluster.dsn(), autocommit=True)

    @property
    def environment(self) -> dict[str, str]:
        """How programs other than psycopg find it."""
        told = psycopg.conninfo.conninfo_to_dict(self._cluster.dsn())
        return {"PGHOST": str(told["host"]), "PGUSER": str(told["user"])}

    def database(self, name: str, template: str | None = None) -> Database:
        making = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
        if template is not None:
            held = self._databases[template]
            held.owner.close()
            making += sql.SQL(" TEMPLATE {} STRATEGY FILE_COPY").format(sql.Identifier(template))
            self._admin.execute(making)
            held.owner = psycopg.connect(held.dsn, autocommit=True)
        else:
            self._admin.execute(making)
        made = self._databases[name] = Database(name, self._cluster.dsn(name))
        return made

    def drop(self, database: Database) -> None:
        database.owner.close()
        del self._databases[database.name]
        self._admin.execute(
            sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database.name))
        )

    def forget(self) -> None:
        """Drop every database: a section that failed leaves nothing to the next."""
        for database in list(self._databases.values()):
            self.drop(database)

    def checkpoint(self) -> None:
        self._admin.execute("CHECKPOINT")

    @contextmanager
    def setting(self, name: str, value: str) -> Iterator[None]:
        """A setting of the whole server, for a while."""
        change = sql.SQL("ALTER SYSTEM SET {} = {}").format(
            sql.Identifier(name), sql.Literal(value)
        )
        self._admin.execute(change)
        self._reload(name)
        try:
            yield
        finally:
            self._admin.execute(sql.SQL("ALTER SYSTEM RESET {}").format(sql.Identifier(name)))
            self._reload(name)

    def _reload(self, name: str) -> None:
        before = self._shown(name)
        self._admin.execute("SELECT pg_reload_conf()")
        deadline = time.monotonic() + 2
        while self._shown(name) == before and time.monotonic() < deadline:
            time.sleep(0.02)

    def _shown(self, name: str) -> str:
        # Of a session that has read the files again: a new one.
        with psycopg.connect(self._cluster.dsn(), autocommit=True) as fresh:
            row = fresh.execute("SELECT current_setting(%s)", (name,)).fetchone()
        return str(row[0]) if row else ""

    def wal_position(self) -> int:
        row = self._admin.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
        assert row is not None
        return int(row[0])

    def remove(self) -> None:
        self._admin.close()
        for database in self._databases.values():
            database.owner.close()
        self._cluster.stop(signal.SIGQUIT)  # nothing of it is to be kept
        self._cluster.remove()


@contextmanager
def listening(database: Database, channel: str) -> Iterator[None]:
    """Somebody listens on the channel and reads what comes, without looking at it.

    Reading every message with a driver would cost more CPU than sending it; the bytes are taken
    off the socket twenty times a second.
    """
    if not channel:
        yield
        return
    listener = psycopg.connect(database.dsn, autocommit=True)
    listener.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
    done = threading.Event()
    handle = listener.fileno()
    os.set_blocking(handle, False)

    def drain() -> None:
        while not done.wait(0.05):
            try:
                while os.read(handle, 1 << 18):
                    pass
            except BlockingIOError:
                continue
            except OSError:
                return

    thread = threading.Thread(target=drain, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        listener.close()


@contextmanager
def held_snapshot(database: Database) -> Iterator[None]:
    """A session that forgot to end its transaction: no dead row can be cleaned up."""
    holder = database.connect(autocommit=False)
    holder.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    holder.execute("SELECT count(*) FROM pg_class")
    try:
        yield
    finally:
        holder.rollback()
        holder.close()
