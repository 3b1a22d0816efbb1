"""The queues that are compared: the floors and the board. The peers are in `peers`.

What is compared is one job: taken in one transaction, finished in another. A queue gives its two
statements once; pgbench and psycopg both run them from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.server import Connection, Database
from tests.support.script import board_script

FLOORS = Path(__file__).with_name("floors.sql")
CHUNK = 10_000


@dataclass(frozen=True)
class Queue:
    """How one queue is set up, filled and used."""

    key: str
    label: str
    claim: str  # returns the columns that `finish` uses as :name
    finish: str
    finished: str  # a query that counts the jobs that are done
    setup: Callable[[Database], None]
    fill: Callable[[Database, int], None]
    keeps: str = ""  # what is left of a job when it is done
    how: str = ""  # how it is driven
    version: str = ""
    channel: str = ""
    group: str = "peer"

    @property
    def script(self) -> str:
        """One job, for pgbench."""
        return f"{self.claim.rstrip().rstrip(';')} \\gset\n{self.finish.rstrip().rstrip(';')};\n"


VARIABLE = re.compile(r"(?<![:\w]):([a-z_]+)\b")


def for_psycopg(statement: str, names: set[str]) -> str:
    """pgbench's `:name` as psycopg's `%(name)s`, for the names given."""

    def replace(found: re.Match[str]) -> str:
        return f"%({found[1]})s" if found[1] in names else found[0]

    return VARIABLE.sub(replace, statement.rstrip().rstrip(";").replace("%", "%%"))


def in_chunks(database: Database, statement: str, count: int) -> None:
    """A filling statement with one %s, the number of jobs, run in pieces."""
    while count > 0:
        database.execute(statement, min(count, CHUNK))
        count -= CHUNK


# -- the floors ------------------------------------------------------------------------------------


def _floors(database: Database) -> None:
    database.execute(FLOORS.read_text())


def _fill(table: str) -> Callable[[Database, int], None]:
    def fill(database: Database, count: int) -> None:
        database.execute(
            f"INSERT INTO {table} (payload) SELECT '{{}}' FROM generate_series(1, %s)", count
        )

    return fill


def _floor(key: str, label: str, table: str, **more: Any) -> Queue:
    return Queue(
        key=key,
        label=label,
        finished=f"SELECT count(*) FROM {table} WHERE state = 'done'",
        setup=_floors,
        fill=_fill(table),
        group="floor",
        **more,
    )


PLAIN = _floor(
    "plain", "plain SQL, no events", "floor.plain_jobs",
    claim="UPDATE floor.plain_jobs SET state = 'running', worker = 'agent',"
    " claimed_at = clock_timestamp(), attempt = attempt + 1"
    " WHERE id = (SELECT id FROM floor.plain_jobs WHERE state = 'ready'"
    " ORDER BY priority, id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id AS task",
    finish="UPDATE floor.plain_jobs SET state = 'done', done_at = clock_timestamp()"
    " WHERE id = :task AND worker = 'agent' AND state = 'running'",
    keeps="the row", how="two UPDATE statements sent by the client",
)  # fmt: skip
FLOOR = _floor(
    "floor", "floor: hand-written, with events", "floor.jobs",
    claim="SELECT id AS task FROM floor.claim('agent')",
    finish="SELECT floor.complete(:task, 'agent')",
    keeps="the row and one event for each transition", how="floor.claim, floor.complete",
)  # fmt: skip
BELL = _floor(
    "bell", "floor with notification", "floor.bell_jobs",
    claim="SELECT id AS task FROM floor.bell_claim('agent')",
    finish="SELECT floor.bell_complete(:task, 'agent')", channel="floor",
    keeps="the row and one event for each transition",
    how="floor.bell_claim, floor.bell_complete: one NOTIFY each",
)  # fmt: skip


# -- the board -------------------------------------------------------------------------------------

CLAIM = "SELECT c.id AS task FROM board.claim('agent', '10 minutes') AS c"
COMPLETE = "SELECT board.complete(:task, 'agent')"


def install_board(connection: Connection) -> None:
    with connection.transaction():
        connection.execute(board_script().encode())


def board_setup(notify: str) -> Callable[[Database], None]:
    def setup(database: Database) -> None:
        install_board(database.owner)
        database.execute("SELECT board.configure(notify => %s)", notify)

    return setup


def enqueue(database: Database, count: int, kind: str = "bench") -> None:
    in_chunks(
        database,
        f"SELECT count(*) FROM board.enqueue_many('{kind}', array_fill('{{}}'::jsonb, ARRAY[%s]))",
        count,
    )


def board(notify: str) -> Queue:
    return Queue(
        key=f"board_{notify}",
        label=f"board, notify {notify}",
        claim=CLAIM,
        finish=COMPLETE,
        finished="SELECT count(*) FROM board.tasks WHERE status = 'completed'",
        setup=board_setup(notify),
        fill=enqueue,
        keeps="the row and one event for each transition",
        how="board.claim, board.complete",
        channel="" if notify == "off" else "task_events",
        group="board",
    )


OWN = (PLAIN, FLOOR, BELL, board("off"), board("coalesced"), board("each"))


# -- a queue in its database -----------------------------------------------------------------------


@dataclass
class Stand:
    """A queue in a database of its own, and how many jobs wait there."""

    queue: Queue
    database: Database
    waiting: int = 0
    done: int = field(default=0)

    def fill_to(self, count: int) -> None:
        if self.waiting < count:
            self.queue.fill(self.database, count - self.waiting)
            self.waiting = count

    def took(self, jobs: int) -> None:
        self.waiting -= jobs
        self.done += jobs

    def check(self) -> None:
        """What pgbench counted is what the table says: no script may only seem to work."""
        found = int(self.database.value(self.queue.finished))
        if found != self.done:
            raise AssertionError(
                f"{self.queue.label}: {self.done} jobs by pgbench's count, {found} by the table's"
            )
