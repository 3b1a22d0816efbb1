"""Agents as processes of their own: what the many-process tests start, kill and wait for.

Worker functions are module-level, take a connection string and plain values, and report through a
queue, so that they run in a fresh interpreter and share nothing with the test.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.synchronize
import queue
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

# Forked from a small server process that has the imports done and no connection open.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["psycopg", "tests.support.workers"])
START_SECONDS = 60


class WorkerError(AssertionError):
    """A worker ended with an exception: its traceback is the message."""


def _guarded(
    reports: multiprocessing.queues.Queue[tuple[str, Any]],
    ready: multiprocessing.synchronize.Barrier,
    work: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> None:
    try:
        ready.wait(START_SECONDS)
        reports.put(("done", work(*arguments)))
    except BaseException:
        reports.put(("failed", traceback.format_exc()))


class Crew:
    """Processes that begin at the same moment. `results()` waits for all of them."""

    def __init__(self, work: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> None:
        self._reports: multiprocessing.queues.Queue[tuple[str, Any]] = _CONTEXT.Queue()
        shares = list(arguments)
        # Kept: once it is collected here, a process that is still starting cannot open it.
        self._ready = _CONTEXT.Barrier(len(shares))
        self.processes: list[BaseProcess] = [
            _CONTEXT.Process(
                target=_guarded, args=(self._reports, self._ready, work, share), daemon=True
            )
            for share in shares
        ]
        for process in self.processes:
            process.start()

    def results(self, seconds: float = 120, expect_killed: int = 0) -> list[Any]:
        """What the workers returned, in the order in which they ended."""
        found: list[Any] = []
        until = time.monotonic() + seconds
        while len(found) < len(self.processes) - expect_killed:
            try:
                state, value = self._reports.get(timeout=0.5)
            except queue.Empty:
                if not any(process.is_alive() for process in self.processes):
                    raise WorkerError("workers ended without a report") from None
                if time.monotonic() > until:
                    raise WorkerError(f"no report within {seconds:g} s") from None
                continue
            if state == "failed":
                raise WorkerError(value)
            found.append(value)
        for process in self.processes:
            process.join(seconds)
        return found

    def stop(self) -> None:
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join(10)
        self._reports.close()
        self._reports.join_thread()


@contextmanager
def crew(work: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> Iterator[Crew]:
    """Start one process per tuple of arguments; none is left over at the end."""
    started = Crew(work, arguments)
    try:
        yield started
    finally:
        started.stop()
