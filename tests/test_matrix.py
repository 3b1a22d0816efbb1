"""The same board on every PostgreSQL to be had on this machine.

The main run uses one server. Here the pgTAP files, the isolation specs and the hardest of the
many-process tests run once more on each of the others, in a pytest of their own; in another one,
the installer, upgrades, dumps and verify, for what a catalog says differs between releases.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from installer.server import Installation
from tests.support.elsewhere import Outcome, Run
from tests.support.servers import choose
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

MAIN = choose().installation
SERVERS = [one for one in all_installations() if one.major >= OLDEST and one != MAIN]
# The work on each; the installer's part, which takes minutes, on the oldest: what its catalog says
# differs most from the main run's.
CASES = [
    (one, tests)
    for one in SERVERS
    for tests in SMOKE
    if tests == "work" or one.major == min(each.major for each in SERVERS)
]


@pytest.mark.slow
@pytest.mark.skipif("BOARD_TEST_DSN" in os.environ, reason="BOARD_TEST_DSN asked for one server")
@pytest.mark.timeout(0)  # it waits for a run that has a limit of its own
@pytest.mark.parametrize(
    ("installation", "tests"),
    [(one, SMOKE[tests]) for one, tests in CASES],
    ids=[f"{one.version}-{tests}" for one, tests in CASES],
)
def test_server(
    installation: Installation,
    tests: tuple[str, ...],
    elsewhere: Callable[[Run], Outcome],
) -> None:
    done = elsewhere((installation, tests))
    if done.returncode != 0:
        pytest.fail(f"{installation.label}\n{done.output[-8000:]}", pytrace=False)


def test_the_oldest_supported_server_is_here() -> None:
    """A run without PostgreSQL 15 says nothing about 15: say so, rather than pass."""
    OLDEST_SERVER.require()
