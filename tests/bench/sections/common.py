"""How much is measured, and what several sections use."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

from psycopg import Cursor
from psycopg.rows import DictRow, dict_row

from tests.bench.machine import cpu_microseconds
from tests.bench.queues import Queue, Stand, for_psycopg
from tests.bench.server import Connection, Database, Host

Samples = dict[str, list[float]]
Results = dict[str, Any]


@dataclass(frozen=True)
class Size:
    """How much is measured, and for how long."""

    rounds: int
    seconds: int  # of a slice, after its warm-up
    peer_seconds: int  # of a slice of somebody else's queue
    waiting: int
    many: int  # pending or finished tasks of the flatness section
    some: int  # scheduled, in progress, withheld
    few: int  # the backlog that these are compared with
    names: int  # of kinds that have nothing open any more
    kinds: int  # with something open
    each: int  # executions by a client in a slice of the flatness section
    batches: int  # of a hundred, in a slice of the batches section
    block: int  # jobs in a block of the CPU section
    held: int  # seconds under a held snapshot
    clients: tuple[int, ...] = (1, 8, 32)
    peer_clients: tuple[int, ...] = (1, 8, 32)


FULL = Size(
    rounds=5, seconds=3, peer_seconds=2, waiting=300_000, many=1_000_000, some=100_000,
    few=10_000, names=20_000, kinds=500, each=500, batches=300, block=200, held=60,
)  # fmt: skip
QUICK = Size(
    rounds=2, seconds=1, peer_seconds=1, waiting=30_000, many=100_000, some=10_000, few=5_000,
    names=2_000, kinds=500, each=100, batches=40, block=100, held=12, clients=(1, 8),
    peer_clients=(8,),
)  # fmt: skip
TINY = Size(
    rounds=1, seconds=1, peer_seconds=1, waiting=20_000, many=4_000, some=1_000, few=2_000,
    names=100, kinds=20, each=10, batches=4, block=20, held=4, clients=(1, 2), peer_clients=(2,),
)  # fmt: skip


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def load() -> float:
    return round(os.getloadavg()[0], 2)


def stand(host: Host, queue: Queue) -> Stand:
    database = host.database(queue.key)
    queue.setup(database)
    return Stand(queue, database)


def vacuum(database: Database) -> None:
    """The queue's own tables; the catalog's would take longer than they matter."""
    tables = database.value(
        "SELECT string_agg(format('%I.%I', schemaname, relname), ', ') FROM pg_stat_user_tables"
    )
    database.execute(f"VACUUM (ANALYZE) {tables}")


class Agent:
    """One session that runs a queue's two statements, and what its backend has used."""

    def __init__(self, database: Database, queue: Queue) -> None:
        session = database.connect()
        session.execute("SET synchronous_commit = off")
        self.cursor: Cursor[DictRow] = session.cursor(row_factory=dict_row)
        self.pid = session.info.backend_pid
        self._session: Connection = session
        self._claim = for_psycopg(queue.claim, {"client_id"}).encode()
        self._finish: bytes | None = None
        self._queue = queue

    def claim(self) -> DictRow:
        row = self.cursor.execute(self._claim, {"client_id": 0}).fetchone()
        if row is None:
            raise AssertionError(f"{self._queue.label} found nothing to do")
        if self._finish is None:
            self._finish = for_psycopg(self._queue.finish, set(row)).encode()
        return row

    def finish(self, row: DictRow) -> None:
        assert self._finish is not None
        self.cursor.execute(self._finish, row)

    def used(self) -> float:
        return cpu_microseconds(self.pid) or 0.0

    def close(self) -> None:
        self._session.close()


INSERT = (
    "WITH made AS (INSERT INTO floor.jobs (payload) SELECT '{}' FROM generate_series(1, COUNT)"
    " RETURNING id) INSERT INTO floor.events (job_id, type, actor)"
    " SELECT id, 'enqueued', 'agent' FROM made"
)
PAYLOADS = "array_fill('{}'::jsonb, ARRAY[100])"
