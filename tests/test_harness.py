"""The harness keeps its own promises: clones, waiting, ageing."""

from __future__ import annotations

import threading

import pytest

from tests.mutants import MUTANTS, Mutant
from tests.support.sources import SQL
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
