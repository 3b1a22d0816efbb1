"""Runs pgbench scripts against one server, one scenario after the other, and prints ratios.

Figures of different runs, machines or hours cannot be compared; those of one run can. The server
is a private one that syncs to disk as a real one would (NOTIFY's cost is in the commit), unless
BOARD_TEST_DSN names another.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import LiteralString

import psycopg

from installer.server import Cluster, installations
from tests.support.script import board_script
from tests.support.servers import Server
from tests.support.testdb import Connection, TestDb, clone, drop_database, make_template

SCRIPTS = Path(__file__).with_name("scripts")
DURABLE = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "512MB",
    "autovacuum_naptime": "5s",
}


@dataclass(frozen=True)
class Options:
    clients: int
    seconds: int
    backlog: int
    finished: int
    held_seconds: int


@dataclass
class Result:
    """Jobs per second, and how that changed from the first interval to the last."""

    name: str
    jobs: float
    latency: float
    course: list[float] = field(default_factory=list)
    note: str = ""


def pgbench(server: Server) -> str:
    if server.cluster is not None and (server.cluster.bin_dir / "pgbench").exists():
        return str(server.cluster.bin_dir / "pgbench")
    found = shutil.which("pgbench") or next(
        (str(one.bin_dir / "pgbench") for one in reversed(installations())), None
    )
    if found is None:
        raise SystemExit("pgbench not found: it comes with the PostgreSQL client package")
    return found


def run(
    database: TestDb, name: str, script: str, options: Options, jobs: int = 1, seconds: int = 0
) -> Result:
    """One scenario; `jobs` is how many jobs one execution of the script does."""
    command = [
        pgbench(database.server), "--no-vacuum", "--file", str(SCRIPTS / f"{script}.sql"),
        "--client", str(options.clients), "--jobs", "2", "--protocol", "prepared",
        "--time", str(seconds or options.seconds), "--progress", "5", database.dsn,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rate = re.search(r"^tps = ([\d.]+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or rate is None:
        raise SystemExit(f"{name}: pgbench failed\n{done.stdout}{done.stderr}")
    latency = re.search(r"^latency average = ([\d.]+)", done.stdout, re.MULTILINE)
    course = [float(tps) * jobs for tps in re.findall(r"progress: .*?, ([\d.]+) tps", done.stderr)]
    return Result(name, float(rate[1]) * jobs, float(latency[1]) if latency else 0.0, course)


def install(connection: Connection) -> None:
    with connection.transaction():
        connection.execute(board_script().encode())
    connection.execute((SCRIPTS / "naive_setup.sql").read_bytes())
    connection.execute("SELECT board.enqueue('bench')")  # the kind's name is known from now on


def fill(connection: Connection, tasks: int, status: LiteralString) -> None:
    """That many tasks with their first event, written as a restore would write them."""
    connection.execute("SET statement_timeout = 0")
    with connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(
            "WITH made AS (INSERT INTO board.tasks (kind, status, finished_at, finished_by)"
            " SELECT 'bench', %(status)s,"
            "        CASE %(status)s WHEN 'completed' THEN clock_timestamp() END,"
            "        CASE %(status)s WHEN 'completed' THEN 'agent' END"
            " FROM generate_series(1, %(tasks)s) RETURNING id)"
            " INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt)"
            " SELECT m.id, 'bench', 'enqueued', 'bench', 'bench', 0 FROM made AS m",
            {"status": status, "tasks": tasks},
        )
        if status == "pending":
            connection.execute(
                "INSERT INTO naive.tasks (payload) SELECT '{}' FROM generate_series(1, %s)",
                (tasks,),
            )
    connection.execute("VACUUM ANALYZE")


@contextmanager
def cloned(server: Server, template: str, notify: str = "each") -> Iterator[TestDb]:
    database = clone(server, template, "bench")
    try:
        database.owner.execute("SELECT board.configure(notify => %s)", (notify,))
        yield database
    finally:
        database.close()
        drop_database(server, database.name)


@contextmanager
def held_snapshot(database: TestDb) -> Iterator[None]:
    """A session that forgot to end its transaction: no dead row can be cleaned up."""
    holder = database.connect(autocommit=False)
    holder.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    holder.execute("SELECT count(*) FROM board.settings")
    yield
    holder.rollback()


@contextmanager
def listening(database: TestDb) -> Iterator[None]:
    """Somebody listens; otherwise a notification is not even queued."""
    listener = database.connect()
    listener.execute("LISTEN task_events")
    yield


def measure(server: Server, options: Options) -> Iterator[Result]:
    template = make_template(server, "benchtpl", install)
    with psycopg.connect(server.database(template), autocommit=True) as connection:
        fill(connection, options.backlog, "pending")
    with cloned(server, template) as database:
        yield run(database, "naive queue", "naive_pair", options)
    for notify in ("off", "coalesced", "each"):
        with cloned(server, template, notify) as database, listening(database):
            yield run(database, f"board, notify {notify}", "pair", options)
    with cloned(server, template, "coalesced") as database, listening(database):
        batches = Options(options.clients, 5, options.backlog, 0, 0)
        yield run(database, "board, batches of 10", "batch", batches, jobs=10)
    if options.finished:
        grown = make_template(server, "grown", lambda _: None, base=template)
        with psycopg.connect(server.database(grown), autocommit=True) as connection:
            fill(connection, options.finished, "completed")
        with cloned(server, grown, "off") as database:
            name = f"board, {options.finished:,} finished tasks"
            yield run(database, name, "pair", options)
            yield feed(database, options.finished)
        drop_database(server, grown)
    for script, name in (("naive_cycle", "naive queue"), ("cycle", "board")):
        with cloned(server, template, "off") as database:
            yield run(database, f"{name}, from birth to end", script, options)
        with cloned(server, template, "off") as database, held_snapshot(database):
            yield run(
                database, f"{name}, under a held snapshot", script, options,
                seconds=options.held_seconds,
            )  # fmt: skip
    drop_database(server, template)


def feed(database: TestDb, events: int) -> Result:
    """Milliseconds of an empty poll and of a page of a hundred, near the tip of a long log."""
    cursor = database.one("SELECT board.latest_cursor()")
    empty, pages = [], []
    for _ in range(30):
        began = time.perf_counter()
        database.rows("SELECT f.cursor FROM board.events_since(%s, 100) AS f", cursor)
        empty.append(time.perf_counter() - began)
        database.owner.execute(
            "SELECT count(*) FROM board.enqueue_many('bench', array_fill('{}'::jsonb, ARRAY[100]))"
        )
        began = time.perf_counter()
        cursor = database.rows("SELECT f.cursor FROM board.events_since(%s, 100) AS f", cursor)[-1][
            0
        ]
        pages.append(time.perf_counter() - began)
    note = f"empty poll {median(empty) * 1000:.1f} ms, page of 100 {median(pages) * 1000:.1f} ms"
    return Result(f"feed at {events:,} events", 0.0, 0.0, note=note)


def report(results: list[Result]) -> Iterator[str]:
    """A Markdown table. The ratio is to the naive queue doing the same."""
    yield "| scenario | jobs/s | naive = 1 | latency ms | first 5 s | last 5 s |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    base = 0.0
    for one in results:
        if one.note:
            yield f"| {one.name} | | | | {one.note} | |"
            continue
        if one.name.startswith("naive"):
            base = one.jobs
        first, last = (one.course[0], one.course[-1]) if one.course else (0.0, 0.0)
        yield (
            f"| {one.name} | {one.jobs:,.0f} | {one.jobs / base:.2f} | {one.latency:.1f}"
            f" | {first:,.0f} | {last:,.0f} |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=15, help="per scenario")
    parser.add_argument("--held-seconds", type=int, default=45, help="under a held snapshot")
    parser.add_argument("--backlog", type=int, default=150_000, help="tasks that wait")
    parser.add_argument("--finished", type=int, default=1_000_000, help="finished tasks; 0: skip")
    parser.add_argument("--quick", action="store_true", help="a minute instead of ten")
    asked = parser.parse_args()
    options = Options(
        asked.clients, asked.seconds, asked.backlog, asked.finished, asked.held_seconds
    )
    if asked.quick:
        options = Options(asked.clients, 5, 30_000, 50_000, 10)
    given = os.environ.get("BOARD_TEST_DSN")
    cluster = None if given else Cluster(installations()[-1], DURABLE)
    if cluster is not None:
        cluster.start()
        server = Server(cluster.dsn(), cluster.installation.label, cluster=cluster)
    else:
        server = Server(given or "", "BOARD_TEST_DSN")
    try:
        print(
            f"PostgreSQL {server.version()} ({server.origin}), {options.clients} clients,"
            f" {os.cpu_count()} cores, {options.backlog:,} tasks waiting\n",
            flush=True,
        )
        results = []
        for result in measure(server, options):
            results.append(result)
            print(
                f"  {result.name}: {result.note or f'{result.jobs:,.0f} jobs/s'}", file=sys.stderr
            )
        print("\n".join(report(results)))
    finally:
        if cluster is not None:
            cluster.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
