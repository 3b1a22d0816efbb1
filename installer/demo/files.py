"""The files of a folder: which ones, their names as JSON, and what sha256sum says of them."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from installer.errors import Exit, InstallerError

_SKIPPED = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache"}
    | {".ruff_cache", ".pytest_cache", ".hypothesis", ".board", "build", "dist"}
)


def files(folder: Path) -> Iterator[Path]:
    """Regular files below the folder, in a fixed order; links are not followed."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            path = Path(here) / name
            if path.is_file() and not path.is_symlink():
                yield path


def encode_path(path: Path) -> dict[str, str]:
    """A file's name as JSON; a name that is not UTF-8 goes as base64."""
    try:
        return {"path": os.fsencode(path).decode("utf-8")}
    except UnicodeDecodeError:
        return {"path_base64": base64.b64encode(os.fsencode(path)).decode("ascii")}


def decode_path(payload: dict[str, str]) -> Path:
    """The name back from encode_path's JSON."""
    if "path" in payload:
        return Path(payload["path"])
    return Path(os.fsdecode(base64.b64decode(payload["path_base64"])))


def printable(name: str) -> str:
    """Names of files may hold anything: line breaks, terminal commands, bytes that are no text."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def stamp(path: Path) -> tuple[int, int] | None:
    """Size and time of the last change; None when there is no such file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def sha256sum(paths: list[Path]) -> dict[Path, str]:
    """What sha256sum itself says; files that it cannot read are left out."""
    program = shutil.which("sha256sum")
    if program is None:
        raise InstallerError(Exit.FAILED, "there is no sha256sum here to check the results against")
    sums: dict[Path, str] = {}
    for batch in _batches(paths, 100_000):
        told = subprocess.run(
            [program, "--zero", "--", *batch], check=False, capture_output=True
        ).stdout
        for entry in told.split(b"\0"):
            if entry:
                digest, _, name = entry.partition(b"  ")
                sums[Path(os.fsdecode(name))] = digest.decode("ascii")
    return sums


def _batches(paths: list[Path], most: int) -> Iterator[list[str]]:
    """Command lines of at most so many bytes."""
    batch: list[str] = []
    size = 0
    for path in map(os.fspath, paths):
        length = len(os.fsencode(path)) + 9  # with its pointer and its end
        if batch and size + length > most:
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += length
    if batch:
        yield batch
