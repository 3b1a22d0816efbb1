"""The feed at the tip of a long log."""

from __future__ import annotations

import time
from contextlib import ExitStack

from tests.bench import stats
from tests.bench.queues import enqueue
from tests.bench.sections.common import Results
from tests.bench.server import Connection, Database, held_snapshot


def feed(database: Database) -> Results:
    """Milliseconds of polls and pages at the tip of a long log, also under an old snapshot."""
    events = int(database.value("SELECT count(*) FROM board.task_events"))
    reader = database.connect()
    told: Results = {"events": events}
    with ExitStack() as held:
        for state in ("plain", "held"):
            if state == "held":
                held.enter_context(held_snapshot(database))
            polls, pages = [], []
            cursor = database.value("SELECT board.latest_cursor()")
            for _ in range(30):
                began = time.perf_counter()
                _read(reader, cursor)
                polls.append((time.perf_counter() - began) * 1000)
                enqueue(database, 100)
                began = time.perf_counter()
                cursor, found = _read(reader, cursor)
                pages.append((time.perf_counter() - began) * 1000)
                assert found == 100, f"{found} events instead of 100"
            told[state] = {"poll_ms": stats.middle(polls), "page_ms": stats.middle(pages)}
    reader.close()
    return told


def _read(reader: Connection, cursor: str) -> tuple[str, int]:
    rows = reader.execute(
        "SELECT f.cursor FROM board.events_since(%s, 100) AS f WHERE f.type IS NOT NULL", (cursor,)
    ).fetchall()
    return (rows[-1][0] if rows else cursor), len(rows)
