"""Debian's packages without root: fetched into a cache of the user's own and unpacked there.

apt-get gets lists and archives of its own there and is asked for what the system does not have,
with all that it needs; the archives are unpacked below one folder. A program among them is started
by a small script that names the libraries beside it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

SECONDS = 900
LISTS_DAYS = 1.0
_NEVER = ("libc6_", "libc-bin_")  # of the running system's loader


def here() -> bool:
    """Whether this is a Debian, or something made from one."""
    return shutil.which("apt-get") is not None and shutil.which("dpkg-deb") is not None


@cache
def store() -> Path:
    """Where everything lies; one place for each release of the system, readable for all."""
    told = os.environ.get("XDG_CACHE_HOME")
    base = Path("/var/cache") if os.geteuid() == 0 else Path(told or Path.home() / ".cache")
    release = "unknown"
    try:
        text = Path("/etc/os-release").read_text()
        release = "-".join(re.findall(r"(?m)^(?:ID|VERSION_ID)=\"?([\w.]+)", text)) or release
    except OSError:
        pass
    return base / "board" / "packages" / f"{release}-{os.uname().machine}"


def program(name: str) -> Path | None:
    """The starter of a program that was fetched."""
    starter = store() / "bin" / name
    return starter if os.access(starter, os.X_OK) else None


def folders(pattern: str) -> list[Path]:
    """Folders of what was unpacked."""
    return sorted((store() / "root").glob(pattern), reverse=True)


def postgresql_folders() -> list[Path]:
    """Folders with initdb and postgres in them."""
    return sorted((store() / "postgresql").glob("*"))


@cache
def major() -> int | None:
    """Of the PostgreSQL that this system's packages are made for."""
    told = _apt("apt-cache", "depends", "postgresql").stdout
    found = re.search(r"Depends: postgresql-(\d+)\b", told)
    return int(found[1]) if found else None


def named(packages: Sequence[str]) -> list[str]:
    """With the number of this system's PostgreSQL for NN."""
    number = major() if here() and any("NN" in name for name in packages) else None
    return [name.replace("NN", str(number or "NN")) for name in packages]


def fetch(packages: Sequence[str]) -> str | None:
    """Fetches and unpacks; None when it went well, else what was in the way."""
    if not here():
        return "this is no Debian"
    for folder in ("lists/partial", "apt/archives/partial", "root", "bin", "postgresql"):
        (store() / folder).mkdir(parents=True, exist_ok=True)
    with (store() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = store() / "updated"
        if not stamp.exists() or time.time() - stamp.stat().st_mtime > LISTS_DAYS * 86400:
            done = _apt("apt-get", "update")
            if done.returncode != 0:
                return done.stderr.strip()[-300:]
            stamp.touch()
            major.cache_clear()
        done = _apt(
            *("apt-get", "install", "--download-only", "--yes", "--no-install-recommends"),
            *named(packages),
        )
        if done.returncode != 0:
            return done.stderr.strip()[-300:]
        for archive in sorted((store() / "apt" / "archives").glob("*.deb")):
            if not archive.name.startswith(_NEVER):
                subprocess.run(["dpkg-deb", "--extract", archive, store() / "root"], check=True)
            archive.unlink()
        _write_starters()
    return None


def _apt(*command: str) -> subprocess.CompletedProcess[str]:
    """apt with lists and archives of our own; the system's are only read."""
    options = {
        "Dir::State::Lists": store() / "lists",
        "Dir::Cache": store() / "apt",
        "Debug::NoLocking": "true",
        "APT::Sandbox::User": "root",
        "APT::Update::Post-Invoke": "",
        "APT::Update::Post-Invoke-Success": "",
    }
    told = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
    try:
        return subprocess.run(
            [command[0], *told, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"},
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def _write_starters() -> None:
    root = store() / "root"
    libraries = {path.parent for path in root.glob("lib/*/lib*.so*")}
    libraries |= {path.parent for path in root.glob("usr/lib/*/lib*.so*")}
    libraries |= {path.parent for path in root.glob("usr/lib/*-linux-gnu*/*/lib*.so*")}
    (root / "etc" / "fonts").mkdir(parents=True, exist_ok=True)
    fonts = root / "etc" / "fonts" / "board.conf"
    fonts.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig>'
        f"<dir>{root}/usr/share/fonts</dir><dir>/usr/share/fonts</dir>"
        f"<cachedir>{store()}/fonts</cachedir></fontconfig>\n"
    )
    environment = {
        "LD_LIBRARY_PATH": os.pathsep.join(str(path) for path in sorted(libraries)),
        "FONTCONFIG_FILE": str(fonts),
    }
    for name in ("usr/sbin/pgbouncer", "usr/lib/chromium/chromium"):
        _write_starter(root / name, store() / "bin", environment)
    tester = "usr/lib/postgresql/*/lib/pgxs/src/test/isolation/isolationtester"
    for path in sorted(root.glob(tester)):
        _write_starter(path, store() / "bin", environment)
    for folder in root.glob("usr/lib/postgresql/*/bin"):
        for path in folder.iterdir():
            _write_starter(path, store() / "postgresql" / folder.parent.name, environment)


def _write_starter(path: Path, folder: Path, environment: dict[str, str]) -> None:
    if not os.access(path, os.X_OK):
        return
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
    starter = folder / path.name
    starter.write_text("\n".join(["#!/bin/sh", *lines, f'exec {shlex.quote(str(path))} "$@"', ""]))
    starter.chmod(0o755)
