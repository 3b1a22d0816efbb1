"""The harness keeps its own promises: clones, waiting, ageing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.mutants import MUTANTS, Mutant
from tests.support import debian, tools
from tests.support.sources import ROOT, SQL
from tests.support.testdb import TestDb


def test_clones_are_fresh_and_their_own(board_db: TestDb, board_module_db: TestDb) -> None:
    assert board_db.name != board_module_db.name
    board_db.owner.execute("CREATE TABLE public.mine ()")
    assert board_module_db.one("SELECT to_regclass('public.mine') IS NULL")


def test_wait_until_blocked_sees_a_lock_wait(board_db: TestDb) -> None:
    board_db.owner.execute("CREATE TABLE public.t AS SELECT 1 AS a")
    holder = board_db.connect(autocommit=False)
    holder.execute("LOCK TABLE public.t")
    waiter = board_db.connect()
    thread = threading.Thread(target=waiter.execute, args=("SELECT * FROM public.t",))
    thread.start()
    board_db.wait_until_blocked(waiter, by=holder)
    holder.rollback()
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_every_mutant_still_breaks_something(mutant: Mutant) -> None:
    """The text that it changes is there. (`python -m tests.mutants` shows that tests notice.)"""
    assert mutant.statements() != (SQL / mutant.file).read_text()


def test_what_was_not_shown_is_said_in_words() -> None:
    skipped = [
        "Skipped: needs isolationtester",
        "Skipped: needs isolationtester",
        "Skipped: needs PgBouncer",
        "Skipped: the main run is on this one",
    ]
    told = list(tools.not_shown(skipped))
    assert told[0] == "NOT SHOWN by this run:"
    assert "every race, step by step" in told[1]
    assert "(2 tests)" in told[1]
    assert "pooler" in told[2]
    assert "(1 test)" in told[2]
    assert told[3].startswith("The command that shows it: ")
    if debian.here():
        assert "pgbouncer" in told[3]
        assert "postgresql-client-" in told[3]
        assert "chromium" not in told[3]
    assert list(tools.not_shown(["Skipped: the main run is on this one"])) == []


def test_a_run_without_a_tool_ends_with_what_it_did_not_show(tmp_path: Path) -> None:
    """A whole pytest of its own, in which no pooler is to be found."""
    hide = tmp_path / "hide.py"
    hide.write_text(
        "import dataclasses\nfrom tests.support import tools\n"
        "tools.PGBOUNCER = dataclasses.replace(tools.PGBOUNCER, find=lambda: None)\n"
    )
    done = subprocess.run(
        [*(sys.executable, "-m", "pytest", "-q", "-p", "hide"), "tests/test_pooler.py"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT SHOWN by this run:" in done.stdout
    assert "pooler in transaction mode: PgBouncer is not here (2 tests)" in done.stdout
    assert "The command that shows it: " in done.stdout


def test_fetching_says_what_was_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert debian.fetch(["pgbouncer"]) == "this is no Debian"


def test_a_skip_leaves_no_database_and_no_session_behind(tmp_path: Path, board_db: TestDb) -> None:
    """A test of upgrades on a server for which this machine has no pg_dump."""
    hide = tmp_path / "hide.py"
    hide.write_text(
        "from tests.support import servers\nservers.nearest_program = lambda *given: None\n"
    )
    databases = "SELECT array_agg(d.datname ORDER BY 1) FROM pg_database AS d"
    before = board_db.one(databases)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "hide", "-p", "no:cacheprovider"),
            *("tests/test_upgrade.py", "-k", "may_widen"),
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": f"{ROOT}:{tmp_path}",
            "BOARD_TEST_DSN": board_db.server.dsn,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" in done.stdout
    assert board_db.one(databases) == before
