"""The same board on every PostgreSQL to be had on this machine.

The main run uses one server. Here the pgTAP files, the isolation specs and the hardest of the
many-process tests run once more on each of the others, in a pytest of their own; in another one,
the installer, upgrades, dumps and verify, for what a catalog says differs between releases.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from installer.server import Cluster, Installation
from tests.support.servers import Server
from tests.support.sources import ROOT
from tests.support.tools import OLDEST, OLDEST_SERVER, all_installations

SMOKE = {
    "work": (
        "sql/tests",
        "tests/test_isolation.py",
        "tests/test_lease.py",
        "tests/test_plans.py",
        "tests/test_processes.py::test_drain[batches of 7]",
        "tests/test_feed.py::test_sixteen_writers_a_held_writer_elsewhere_and_an_orphan",
    ),
    "installer": ("tests/test_installer.py",),
    "upgrade": ("tests/test_installer_guards.py", "tests/test_upgrade.py", "tests/test_dump.py"),
}

SERVERS = [one for one in all_installations() if one.major >= OLDEST]
# The work on each; the installer's part, which takes minutes, on the oldest: what its catalog says
# differs most from the main run's.
CASES = [
    (one, tests)
    for one in SERVERS
    for tests in SMOKE
    if tests == "work" or one.major == min(each.major for each in SERVERS)
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("installation", "tests"), CASES, ids=[f"{one.version}-{tests}" for one, tests in CASES]
)
def test_server(installation: Installation, tests: str, server: Server) -> None:
    if server.cluster is not None and server.cluster.installation == installation:
        pytest.skip("the main run is on this one")
    if os.environ.get("BOARD_TEST_DSN"):
        pytest.skip("one server was asked for by BOARD_TEST_DSN")
    cluster = Cluster(installation).start()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SMOKE[tests]],
            cwd=ROOT,
            env={**os.environ, "BOARD_TEST_DSN": cluster.dsn()},
            capture_output=True,
            text=True,
            timeout=540,
            check=False,
        )
    finally:
        cluster.remove()
    if done.returncode != 0:
        pytest.fail(f"{installation.label}\n{done.stdout[-8000:]}\n{done.stderr}", pytrace=False)


def test_the_oldest_supported_server_is_here() -> None:
    """A run without PostgreSQL 15 says nothing about 15: say so, rather than pass."""
    OLDEST_SERVER.require()
