"""PgBouncer in transaction mode in front of a test server, on loopback and on a port of its own."""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.support.tools import PGBOUNCER

START_SECONDS = 20.0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _configuration(dsn: str, port: int, server_connections: int) -> str:
    behind = conninfo_to_dict(dsn)
    target = " ".join(
        f"{key}={behind[key]}"
        for key in ("host", "port", "user", "password", "dbname")
        if behind.get(key) is not None
    )
    return f"""[databases]
board = {target}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {server_connections}
max_client_conn = 200
ignore_startup_parameters = extra_float_digits,options
"""


@contextmanager
def pooled(dsn: str, server_connections: int = 3) -> Iterator[str]:
    """A connection string that leads through the pooler to the database of `dsn`."""
    program = PGBOUNCER.require()
    # It refuses to run as root.
    user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="board-pooler-") as folder:
        Path(folder).chmod(0o755)
        settings = Path(folder) / "pgbouncer.ini"
        settings.write_text(_configuration(dsn, port, server_connections))
        log = Path(folder) / "pgbouncer.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(program), str(settings)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=folder,
                user=user.pw_uid if user else None,
                group=user.pw_gid if user else None,
                extra_groups=[] if user else None,
            )
        try:
            through = make_conninfo(host="127.0.0.1", port=port, user="board", dbname="board")
            _wait_until_ready(process, through, log)
            yield through
        finally:
            process.terminate()
            process.wait(START_SECONDS)


def _wait_until_ready(process: subprocess.Popen[bytes], through: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(through, connect_timeout=2, prepare_threshold=None).close()
            return
        except psycopg.OperationalError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(errors="replace")[-2000:]
                raise RuntimeError(f"pgbouncer did not start: {error}\n{said}") from error
            time.sleep(0.02)
