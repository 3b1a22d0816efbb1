"""The programs that tests need beside Python: where they are, what cannot be shown without them.

`make test` begins with `python -m tests.support.tools`, which fetches what is missing; no root is
needed for that (tests/support/debian.py). A test says `ISOLATIONTESTER.require()` and is skipped
where the tool is not to be had; the end of the run then tells what was not shown.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from installer.server import Installation, installations
from tests.support import debian

OLDEST = 15
_TESTERS = (
    "/usr/lib/postgresql/*/lib/pgxs/src/test/isolation/isolationtester",
    "/usr/lib64/pgsql/pgxs/src/test/isolation/isolationtester",
    "/usr/pgsql-*/lib/pgxs/src/test/isolation/isolationtester",
)


@dataclass(frozen=True)
class Tool:
    """A program, the guarantee that rests on it, and Debian's packages that bring it."""

    name: str
    shows: str
    packages: tuple[str, ...]  # NN stands for the distribution's PostgreSQL
    find: Callable[[], Path | None]

    def require(self) -> Path:
        """Where it is; else the test is skipped, and the end of the run tells what that costs."""
        found = self.find()
        if found is None:
            pytest.skip(f"needs {self.name}")
        return found


def all_installations() -> list[Installation]:
    """Every PostgreSQL of this machine, fetched ones included, lowest version first."""
    return installations(debian.postgresql_folders())


def installation_with(extension: str) -> Installation | None:
    """The newest PostgreSQL here that has an extension."""
    for installation in reversed(all_installations()):
        asked = subprocess.run(
            [installation.bin_dir / "pg_config", "--sharedir"],
            capture_output=True,
            text=True,
            check=False,
        )
        if (Path(asked.stdout.strip()) / "extension" / f"{extension}.control").exists():
            return installation
    return None


def _isolationtester() -> Path | None:
    """The newest one. A newer server is fine for it: it is an ordinary client."""
    configured = shutil.which("pg_config")
    if configured is not None:
        said = subprocess.run([configured, "--pgxs"], capture_output=True, text=True, check=False)
        beside = Path(said.stdout.strip()).parent.parent / "test" / "isolation" / "isolationtester"
        if os.access(beside, os.X_OK):
            return beside
    found = [
        path
        for place in _TESTERS
        for path in Path("/").glob(place.lstrip("/"))
        if os.access(path, os.X_OK)
    ]
    return max(found, key=str, default=None) or debian.program("isolationtester")


def _pgbouncer() -> Path | None:
    """Also where only root has its folder on the PATH."""
    found = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    return Path(found) if found else debian.program("pgbouncer")


def _chromium() -> Path | None:
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if found := shutil.which(name):
            return Path(found)
    return debian.program("chromium") or _playwrights_own()


def playwright_environment() -> dict[str, str]:
    """Playwright brings a node of its own, which wants a library that a bare system does not have:
    where it does not run, another node does its work."""
    spec = importlib.util.find_spec("playwright")
    if spec is not None and spec.submodule_search_locations:
        own = Path(spec.submodule_search_locations[0]) / "driver" / "node"
        runs = subprocess.run([own, "--version"], capture_output=True, check=False).returncode == 0
        other = _node()
        if not runs and other is not None:
            return {"PLAYWRIGHT_NODEJS_PATH": str(other)}
    return {}


def _playwrights_own() -> Path | None:
    """What `playwright install chromium` has fetched, if all that it needs is here."""
    told = subprocess.run(
        [sys.executable, "-m", "playwright", "install", "--dry-run", "chromium"],
        env={**os.environ, **playwright_environment()},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    folders = [
        line.split(":", 1)[1].strip() for line in told.splitlines() if "nstall location" in line
    ]
    for folder in folders:
        for program in (*Path(folder).glob("chrome-*/chrome"), *Path(folder).glob("*/*/MacOS/*")):
            said = subprocess.run([program, "--version"], capture_output=True, check=False)
            if said.returncode == 0:
                return program
    return None


def _pgtap() -> Path | None:
    """The SQL file of it: any copy will do, it is loaded over the wire."""
    folders = [
        *sorted(Path("/usr/share/postgresql").glob("*/extension"), reverse=True),
        *debian.folders("usr/share/postgresql/*/extension"),
    ]
    for folder in folders:
        scripts = [path for path in folder.glob("pgtap--*.sql") if path.name.count("--") == 1]
        if scripts:
            return max(scripts, key=lambda path: path.name)
    return None


def _plpgsql_check() -> Path | None:
    found = installation_with("plpgsql_check")
    return found.bin_dir if found else None


def _oldest() -> Path | None:
    return next((one.bin_dir for one in all_installations() if one.major == OLDEST), None)


def search_path() -> str:
    """The PATH, and after it what pip has put beside this Python."""
    return f"{os.environ.get('PATH', os.defpath)}:{Path(sys.executable).parent}"


def _node() -> Path | None:
    """node with npm."""
    found = shutil.which("node", path=search_path())
    return Path(found) if found and shutil.which("npm", path=search_path()) else None


ISOLATIONTESTER = Tool(
    "isolationtester",
    "every race, step by step (tests/isolation)",
    ("postgresql-client-NN",),
    _isolationtester,
)
PGTAP = Tool(
    "pgTAP",
    "each function's behaviour and every SQLSTATE (sql/tests)",
    ("postgresql-NN-pgtap",),
    _pgtap,
)
PLPGSQL_CHECK = Tool(
    "plpgsql_check",
    "no mistake in a body that only a rare path would meet",
    ("postgresql-NN", "postgresql-NN-plpgsql-check"),
    _plpgsql_check,
)
OLDEST_SERVER = Tool(
    f"PostgreSQL {OLDEST}",
    "that all this holds on the oldest supported server too",
    (f"postgresql-{OLDEST}",),
    _oldest,
)
PGBOUNCER = Tool(
    "PgBouncer",
    "that every verb works through a pooler in transaction mode",
    ("pgbouncer",),
    _pgbouncer,
)
CHROMIUM = Tool("Chromium", "the live board's page, as a browser has it", ("chromium",), _chromium)
NODE = Tool("Node.js", "what docs/clients.md says of JavaScript", ("nodejs", "npm"), _node)
TOOLS = (ISOLATIONTESTER, PGTAP, PLPGSQL_CHECK, OLDEST_SERVER, PGBOUNCER, CHROMIUM, NODE)


def missing() -> list[Tool]:
    return [tool for tool in TOOLS if tool.find() is None]


def fetch_missing() -> list[Tool]:
    """Fetches what is missing, tool by tool; what is missing still."""
    for tool in missing():
        print(f"fetching {tool.name}, which this machine does not have", flush=True)
        problem = debian.fetch(tool.packages)
        if tool is CHROMIUM and tool.find() is None:
            done = subprocess.run(
                [sys.executable, "-m", "playwright", "install", "chromium"],
                env={**os.environ, **playwright_environment()},
                capture_output=True,
                text=True,
                check=False,
            )
            problem = problem or done.stderr.strip()[-300:]
        if tool.find() is None:
            print(f"  not to be had: {problem or 'the packages do not bring it'}", flush=True)
    return missing()


def not_shown(reasons: Iterable[str]) -> Iterator[str]:
    """For the end of a run: what the skipped tests would have shown, and how to show it."""
    counted = Counter(
        tool for reason in reasons for tool in TOOLS if reason.endswith(f"needs {tool.name}")
    )
    if not counted:
        return
    yield "NOT SHOWN by this run:"
    for tool, number in counted.items():
        tests = "test" if number == 1 else "tests"
        yield f"  {tool.shows}: {tool.name} is not here ({number} {tests})"
    yield "The command that shows it: " + command(counted)


def command(tools: Iterable[Tool]) -> str:
    """One line for a shell, with root's rights where there are packages for it."""
    packages = sorted({name for tool in tools for name in debian.named(tool.packages)})
    if debian.here():
        return f"sudo apt-get install --no-install-recommends {' '.join(packages)} && make test"
    return (
        'docker run --rm -v "$PWD":/src:ro debian:stable bash -c '
        "'apt-get update && apt-get install -y git && git clone /src /board && bash /board/.ci/run'"
    )


if __name__ == "__main__":
    fetch_missing()
