"""Find pgTAP and load it over the wire, into a schema of its own.

The embedded server's wheel has no pgTAP. It is a file of SQL, so any copy will do: an extension
that the server offers, a share folder on this machine, Debian's package unpacked into a cache.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.support.testdb import Connection

SCHEMA = "tap"
PACKAGE = "postgresql-15-pgtap"
_FULL_SCRIPT = re.compile(r"pgtap--[0-9.]+\.sql")


class PgTapMissingError(RuntimeError):
    """pgTAP is nowhere to be had; the message says where it was looked for."""


def _newest_script(folder: Path) -> Path | None:
    scripts = [path for path in folder.rglob("pgtap--*.sql") if _FULL_SCRIPT.fullmatch(path.name)]
    return max(scripts, key=lambda path: path.name, default=None)


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "board" / "pgtap"


def _download() -> Path | None:
    """Debian's package, unpacked without installing it."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return None
    cache = _cache_folder()
    kept = _newest_script(cache) if cache.is_dir() else None
    if kept is not None:
        return kept
    with tempfile.TemporaryDirectory() as folder:
        got = subprocess.run(
            ["apt-get", "download", PACKAGE], cwd=folder, capture_output=True, check=False
        )
        packages = list(Path(folder).glob("*.deb"))
        if got.returncode != 0 or not packages:
            return None
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(["dpkg-deb", "--extract", packages[0], cache], check=True)
    return _newest_script(cache)


def find_script() -> Path | None:
    """pgTAP's SQL file on this machine, fetched if need be."""
    for folder in sorted(Path("/usr/share/postgresql").glob("*/extension"), reverse=True):
        script = _newest_script(folder)
        if script is not None:
            return script
    return _download()


def load(connection: Connection) -> str:
    """Put pgTAP into schema `tap` and say where it came from."""
    connection.execute(f"CREATE SCHEMA {SCHEMA}")
    offered = connection.execute(
        "SELECT x.default_version FROM pg_catalog.pg_available_extensions AS x"
        " WHERE x.name = 'pgtap'"
    ).fetchone()
    if offered is not None:
        connection.execute(f"CREATE EXTENSION pgtap SCHEMA {SCHEMA}")
        return f"extension pgtap {offered[0]} of the server"
    script = find_script()
    if script is None:
        raise PgTapMissingError(
            "pgTAP not found: no extension on the server, no share folder on this machine,"
            f" and `apt-get download {PACKAGE}` gave nothing"
        )
    with connection.transaction():
        connection.execute(f"SET LOCAL search_path = {SCHEMA}")
        connection.execute(script.read_bytes())
    return script.name
