"""Agents as processes of their own: what the many-process tests start, kill and wait for.

Worker functions are module-level, take a connection string and plain values, and report through a
queue, so that they run in a fresh interpreter and share nothing with the test.
"""

from __future__ import annotations

import multiprocessing
import queue
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

_CONTEXT = multiprocessing.get_context("spawn")


class WorkerError(AssertionError):
    """A worker ended with an exception: its traceback is the message."""


def _guarded(
    reports: multiprocessing.queues.Queue[tuple[str, Any]],
    work: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> None:
    try:
        reports.put(("done", work(*arguments)))
    except BaseException:
        reports.put(("failed", traceback.format_exc()))


class Crew:
    """Processes that run at once. `results()` waits for all of them."""

    def __init__(self, work: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> None:
        self._reports: multiprocessing.queues.Queue[tuple[str, Any]] = _CONTEXT.Queue()
        self.processes: list[BaseProcess] = [
            _CONTEXT.Process(target=_guarded, args=(self._reports, work, one), daemon=True)
            for one in arguments
        ]
        for process in self.processes:
            process.start()

    def results(self, seconds: float = 120, expect_killed: int = 0) -> list[Any]:
        """What the workers returned, in the order in which they ended."""
        found = []
        for _ in range(len(self.processes) - expect_killed):
            try:
                state, value = self._reports.get(timeout=seconds)
            except queue.Empty:
                raise WorkerError(f"no report within {seconds:g} s") from None
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
