"""A private server that lives as long as the process that started it: for tests, and for the docs.

It is made from any PostgreSQL of the machine, keeps its data and its socket in a temporary folder
and is gone afterwards. It can be killed in all the ways in which a server dies.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, Self

import psycopg

from installer.server.data_folder import DataFolder, ServerError, system_user
from installer.server.programs import Installation

START_SECONDS = 30.0

# Durability is not what these servers are for; two-phase commit and many sessions are.
SETTINGS: Mapping[str, str] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "max_prepared_transactions": "20",
    "max_wal_size": "4GB",
    "shared_buffers": "256MB",
    "log_error_verbosity": "verbose",
    "log_line_prefix": "%m [%p] %d %a ",
    "timezone": "UTC",
}


class Cluster(DataFolder):
    """One private server. `start()` it, use `dsn(...)`, `remove()` it; or use it in a `with`."""

    superuser: ClassVar[str] = "board_test"

    def __init__(
        self,
        installation: Installation,
        settings: Mapping[str, str] | None = None,
        auth: str = "trust",
    ) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="board-pg-"))
        super().__init__(installation, self._home / "data", {**SETTINGS, **(settings or {})})
        self._auth = auth
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def socket_dir(self) -> Path:
        return self._home

    @property
    def log(self) -> Path:
        return self._home / "server.log"

    def start(self) -> Self:
        if not self.data_dir.exists():
            if (user := system_user()) is not None:
                os.chown(self._home, user.pw_uid, user.pw_gid)
            # Others may connect (isolationtester and the pooler run as the caller).
            self._home.chmod(0o755)
            self._init(f"--auth={self._auth}")
        self._launch()
        return self

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT is a fast shutdown, SIGQUIT a crash of all of it at once."""
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(timeout=START_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(timeout=START_SECONDS)
        self._process = None

    def restart(self, how: signal.Signals = signal.SIGINT) -> None:
        self.stop(how)
        self._launch()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_: object) -> None:
        self.remove()

    def _copies(self) -> Path:
        return self._home / "programs"

    def _launch(self) -> None:
        arguments = [str(self.bin_dir / "postgres"), "-D", str(self.data_dir)]
        for name, value in {**self.settings, "unix_socket_directories": str(self._home)}.items():
            arguments += ["-c", f"{name}={value}"]
        owner = system_user()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._home,
                start_new_session=True,
                preexec_fn=_die_with_parent(),
                user=owner.pw_uid if owner else None,
                group=owner.pw_gid if owner else None,
                extra_groups=[] if owner else None,
            )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.dsn(), connect_timeout=2).close()
                return
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise ServerError(
                        f"{self.installation.label} did not start: {error}\n{self.log_tail()}"
                    ) from error
                time.sleep(0.02)


def _die_with_parent() -> Callable[[], None] | None:
    """On Linux, have the kernel stop the server when the thread that started it is killed."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    set_parent_death_signal = 1

    def ask() -> None:
        libc.prctl(set_parent_death_signal, int(signal.SIGQUIT))

    return ask
