"""Runs of the suite's own tests on other servers, beside the main run and not after it.

The main run waits much of its time, for leases, locks and processes: what `elsewhere` is asked for
begins with the session, one run after the other in the background, and the tests that ask come
last. A session that ends early ends the run that is under way.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import cast

import pytest

from installer.server import Cluster, Installation
from tests.support.sources import ROOT

Run = tuple[Installation, tuple[str, ...]]
# A run that hangs is over by then.
LONGEST = 900


@dataclass(frozen=True)
class Outcome:
    returncode: int
    output: str


@dataclass
class Background:
    runs: dict[Run, Future[Outcome]] = field(default_factory=dict)
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    process: subprocess.Popen[str] | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    def begin(self, run: Run) -> Future[Outcome]:
        if run not in self.runs:
            self.runs[run] = self.pool.submit(self._work, run)
        return self.runs[run]

    def _work(self, run: Run) -> Outcome:
        installation, tests = run
        cluster = Cluster(installation).start()
        try:
            if self.ended.is_set():
                return Outcome(1, "the session ended before")
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
                cwd=ROOT,
                env={**os.environ, "BOARD_TEST_DSN": cluster.dsn()},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            try:
                output, _ = self.process.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                self._stop()
                output, _ = self.process.communicate()
                output += f"\nstopped after {LONGEST} seconds"
            return Outcome(self.process.returncode, output)
        finally:
            cluster.remove()

    def _stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGTERM)

    def end(self) -> None:
        self.ended.set()
        self._stop()
        self.pool.shutdown(cancel_futures=True)


_background = pytest.StashKey[Background]()


def _wanted(item: pytest.Item) -> Run | None:
    """What a test asks `elsewhere` for, by its parameters."""
    if isinstance(item, pytest.Function) and "elsewhere" in item.fixturenames:
        asked = item.callspec.params
        return (cast(Installation, asked["installation"]), cast(tuple[str, ...], asked["tests"]))
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _wanted(item) is not None)


def pytest_collection_finish(session: pytest.Session) -> None:
    wanted = [run for item in session.items if (run := _wanted(item)) is not None]
    if wanted and not session.config.option.collectonly and "BOARD_TEST_DSN" not in os.environ:
        background = session.config.stash[_background] = Background()
        for run in wanted:
            background.begin(run)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _background in config.stash:
        config.stash[_background].end()


@pytest.fixture
def elsewhere(pytestconfig: pytest.Config) -> Callable[[Run], Outcome]:
    """Gives the outcome of a run that began with the session, waiting for its end."""
    background = pytestconfig.stash[_background]
    return lambda run: background.begin(run).result()
