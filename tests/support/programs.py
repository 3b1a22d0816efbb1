"""psql, pg_dump and the other programs, for whatever server the tests run on."""

from __future__ import annotations

import os

import pytest

from tests.support.cluster import installations
from tests.support.servers import Server


def program(server: Server, name: str) -> str:
    """The server's own; else the nearest version to be had that is not older than it (pg_dump
    refuses newer servers, and what it writes is for its own version or later)."""
    if server.cluster is not None:
        return str(server.cluster.bin_dir / name)
    major = int(server.version().split(".")[0])
    for installation in installations():
        path = installation.bin_dir / name
        if installation.major >= major and os.access(path, os.X_OK):
            return str(path)
    pytest.skip(f"no {name} of PostgreSQL {major} or later on this machine")
