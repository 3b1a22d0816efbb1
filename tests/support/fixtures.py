"""The fixtures of all tests, SQL ones included; the top conftest.py loads them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from psycopg.abc import Query
from pytest_pgtap.pgtap import Runner

from tests.support import pgtap, tools
from tests.support.script import board_script
from tests.support.servers import Choice, Server, choose
from tests.support.testdb import Connection, TestDb, clone, drop_database, make_template

_choice = pytest.StashKey[Choice]()
_notes = pytest.StashKey[list[str]]()

# The pgTAP files call its functions bare and board's with their schema.
TAP_SEARCH_PATH = f"-c search_path={pgtap.SCHEMA},pg_catalog,public"


@dataclass(frozen=True)
class Template:
    server: Server
    name: str


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-expected",
        action="store_true",
        default=False,
        help="write the expected files of the isolation specs instead of comparing",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_choice] = choose()
    config.stash[_notes] = []


def pytest_report_header(config: pytest.Config) -> str:
    return f"board server: {config.stash[_choice].what}"


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for note in config.stash[_notes]:
        terminalreporter.write_line(f"board: {note}")
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [one.longrepr[2] for one in skipped if isinstance(one.longrepr, tuple)]
    for line in tools.not_shown(reasons):
        terminalreporter.write_line(line, bold=True)


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config) -> Iterator[Server]:
    """A running server on which databases can be made."""
    running = pytestconfig.stash[_choice].start()
    pytestconfig.stash[_notes].append(f"ran on {running.origin}, server {running.version()}")
    yield running
    running.stop()


def _install(connection: Connection) -> None:
    with connection.transaction():
        connection.execute(board_script().encode())
        if patch := os.environ.get("BOARD_TEST_PATCH"):  # a broken guard: see tests/mutants.py
            connection.execute(Path(patch).read_bytes())


@pytest.fixture(scope="session")
def board_template(server: Server) -> Iterator[Template]:
    """A database with board installed, to be cloned."""
    name = make_template(server, "template", _install)
    yield Template(server, name)
    drop_database(server, name)


@pytest.fixture(scope="session")
def tap_template(board_template: Template, pytestconfig: pytest.Config) -> Iterator[Template]:
    """The same with pgTAP in schema `tap`."""
    server = board_template.server

    def fill(connection: Connection) -> None:
        origin = pgtap.load(connection)
        pytestconfig.stash[_notes].append(f"pgTAP from {origin}")

    name = make_template(server, "tap", fill, base=board_template.name)
    yield Template(server, name)
    drop_database(server, name)


def _cloned(template: Template) -> Iterator[TestDb]:
    database = clone(template.server, template.name)
    yield database
    database.close()
    drop_database(template.server, database.name)


@pytest.fixture
def board_db(board_template: Template) -> Iterator[TestDb]:
    """A fresh database with board, for this test alone."""
    yield from _cloned(board_template)


@pytest.fixture(scope="module")
def board_module_db(board_template: Template) -> Iterator[TestDb]:
    """A database with board, shared by the tests of a module."""
    yield from _cloned(board_template)


@pytest.fixture
def tap_db(tap_template: Template) -> Iterator[TestDb]:
    """A fresh database with board and pgTAP."""
    yield from _cloned(tap_template)


@pytest.fixture
def pgtap_connection(tap_db: TestDb) -> Connection:
    """What pytest-pgtap runs a file of sql/tests on: a database of its own for each."""
    return tap_db.connect(options=TAP_SEARCH_PATH, application_name="pgtap")


class TextRunner(Runner):  # type: ignore[misc]
    """A file may call a verb for its effect: what that returns is no TAP, and need not be text."""

    def run(self, query: Query) -> list[str]:
        return [str(row) for row in super().run(query)]


@pytest.fixture
def _pgtap_runner(pgtap_connection: Connection) -> Runner:
    return TextRunner(pgtap_connection)
