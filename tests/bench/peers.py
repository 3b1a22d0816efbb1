"""Queues of others, measured in the same run when npm and PyPI can be reached.

Their packages are installed below build/ by npm and pip. Each job is taken and finished
by the very statements or functions that the library sends, read out of the installed package, and
run by pgbench like everybody's: what a client library costs beside them does not show.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from tests.bench.queues import Queue, in_chunks
from tests.bench.server import Database, Host

CLIENTS = Path(__file__).with_name("clients")
ROOT = Path(__file__).parents[2] / "build" / "bench-peers"
INSTALL_SECONDS = 300


class PeerError(RuntimeError):
    """A peer cannot be had here; the message says why."""


def _call(command: list[str], what: str, env: dict[str, str] | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=INSTALL_SECONDS,
            env=env,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerError(f"{what}: {error}") from error
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise PeerError(f"{what}: {lines[-1]}")
    return done.stdout


def install_python() -> Path:
    wanted = CLIENTS / "requirements.txt"
    folder, done = ROOT / "python", ROOT / "python" / "requirements.txt"
    if not done.exists() or done.read_text() != wanted.read_text():
        shutil.rmtree(folder, ignore_errors=True)
        _call(
            [
                sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                "--target", str(folder), "--requirement", str(wanted),
            ],
            "pip install",
        )  # fmt: skip
        shutil.copy(wanted, done)
    return folder


def install_node() -> Path:
    wanted = CLIENTS / "package.json"
    folder, done = ROOT / "node", ROOT / "node" / "package.json"
    ready = (folder / "node_modules").exists()
    if not ready or not done.exists() or done.read_text() != wanted.read_text():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(wanted, done)
        _call(["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund"], "npm install")
    return folder


def version_of(folder: Path, package: str) -> str:
    for one in distributions(path=[str(folder)]):
        if one.metadata["Name"] == package:
            return one.version
    raise PeerError(f"{package} is not among the installed packages")


def with_values(statement: str, values: Mapping[int, str]) -> str:
    """A statement with $1, $2, … replaced by what stands there in a benchmark."""

    def replace(found: re.Match[str]) -> str:
        return values[int(found[1])]

    return re.sub(r"\$(\d+)\b", replace, statement)


def _node(folder: Path, name: str, database: Database, host: Host, *more: str) -> Any:
    where = {**os.environ, **host.environment, "PGDATABASE": database.name}
    command = ["node", str(CLIENTS / "node_statements.cjs"), str(folder), name, *more]
    return json.loads(_call(command, f"node, for {name}", env=where))


def _probe(folder: Path, name: str, host: Host) -> Any:
    """The statements that the library sends for one job, sent once in a database of their own."""
    scratch = host.database(f"probe of {name}")
    try:
        return _node(folder, name, scratch, host, "probe")
    finally:
        host.drop(scratch)


def graphile_worker(host: Host) -> Queue:
    folder = install_node()
    told = _probe(folder, "graphile-worker", host)

    def setup(database: Database) -> None:
        _node(folder, "graphile-worker", database, host)

    def fill(database: Database, count: int) -> None:
        in_chunks(
            database,
            "SELECT count(*) FROM graphile_worker.add_jobs(array_fill(ROW('bench', '{}', NULL,"
            " NULL, NULL, NULL, NULL, NULL)::graphile_worker.job_spec, ARRAY[%s]))",
            count,
        )

    return Queue(
        key="graphile_worker",
        label="graphile-worker",
        claim=with_values(told["claim"]["text"], {1: "'agent'", 2: "ARRAY[1]"}),
        finish=with_values(told["finish"]["text"], {1: ":id"}),
        finished="SELECT last_value - (SELECT count(*) FROM graphile_worker._private_jobs)"
        " FROM graphile_worker.jobs_id_seq1",
        setup=setup,
        fill=fill,
        keeps="nothing: the row is deleted",
        how="the statements that its batchGetJobs() and batchCompleteJobs() send for one job",
        version=told["version"],
    )


def pg_boss(host: Host) -> Queue:
    folder = install_node()
    told = _probe(folder, "pg-boss", host)

    def setup(database: Database) -> None:
        _node(folder, "pg-boss", database, host)

    def fill(database: Database, count: int) -> None:
        statement = told["insert"]["text"].replace("%", "%%")
        jobs = "(SELECT json_agg(json_build_object()) FROM generate_series(1, %s))"
        in_chunks(database, with_values(statement, {1: jobs}), count)

    return Queue(
        key="pg_boss",
        label="pg-boss",
        claim=told["claim"]["text"],
        finish=with_values(told["finish"]["text"], {1: "'bench'", 2: "ARRAY[:id]", 3: "NULL"}),
        finished="SELECT count(*) FROM pgboss.job WHERE state = 'completed'",
        setup=setup,
        fill=fill,
        keeps="the row, no events",
        how="the statements that its fetch() and complete() send",
        version=told["version"],
    )


def procrastinate(host: Host) -> Queue:
    folder = install_python()
    sources = folder / "procrastinate" / "sql"
    queries = (sources / "queries.sql").read_text()

    def statement(name: str) -> str:
        found = re.search(rf"^-- {name} --\n(.*?)(?=^-- \w+ --$|\Z)", queries, re.M | re.S)
        if found is None:
            raise PeerError(f"procrastinate has no query {name} any more")
        lines = [line for line in found[1].splitlines() if not line.startswith("--")]
        return " ".join(" ".join(lines).split())

    def setup(database: Database) -> None:
        database.execute((sources / "schema.sql").read_text())
        for _ in range(64):  # one worker for each client
            database.execute(statement("register_worker"))

    def fill(database: Database, count: int) -> None:
        in_chunks(
            database,
            "SELECT cardinality(procrastinate_defer_jobs_v1(array_fill(ROW('default', 'bench', 0,"
            " NULL, NULL, '{}', NULL)::procrastinate_job_to_defer_v1, ARRAY[%s])))",
            count,
        )

    fetch = statement("fetch_job").replace("%(queues)s", "NULL")
    finish = statement("finish_job").replace("%(status)s", "'succeeded'")
    return Queue(
        key="procrastinate",
        label="procrastinate",
        claim=fetch.replace("%(worker_id)s", ":client_id + 1"),
        finish=finish.replace("%(job_id)s", ":id").replace("%(delete_job)s", "false"),
        finished="SELECT count(*) FROM procrastinate_jobs WHERE status = 'succeeded'",
        setup=setup,
        fill=fill,
        keeps="the row and one event for each transition",
        how="its functions procrastinate_fetch_job and procrastinate_finish_job, as in queries.sql",
        version=version_of(folder, "procrastinate"),
    )


def pgqueuer(host: Host) -> Queue:
    folder = install_python()
    command = [sys.executable, str(CLIENTS / "pgqueuer_statements.py")]
    told = json.loads(
        _call(command, "python, for pgqueuer", env={**os.environ, "PYTHONPATH": str(folder)})
    )

    def setup(database: Database) -> None:
        database.execute(told["install"])

    def fill(database: Database, count: int) -> None:
        size = "ARRAY[(SELECT n FROM asked)]"
        values = {
            1: f"array_fill(0, {size})", 2: f"array_fill('bench'::text, {size})",
            3: f"array_fill(NULL::bytea, {size})", 4: f"array_fill('0'::interval, {size})",
            5: f"array_fill(NULL::text, {size})", 6: f"array_fill(NULL::jsonb, {size})",
        }  # fmt: skip
        statement = with_values(told["insert"].replace("%", "%%"), values)
        statement = statement.replace(
            "WITH input AS", "WITH asked AS (SELECT %s AS n), input AS", 1
        )
        in_chunks(database, statement, count)

    limits = {1: "1", 2: "ARRAY['bench']", 3: "'00000000-0000-0000-0000-000000000001'::uuid"}
    return Queue(
        key="pgqueuer",
        label="pgqueuer",
        claim=with_values(told["claim"], {**limits, 4: "'30 seconds'"}),
        finish=with_values(
            told["finish"], {1: "ARRAY[:id]", 2: "ARRAY['successful']", 3: "ARRAY[NULL]"}
        ),
        finished="SELECT count(*) FROM pgqueuer_log WHERE status = 'successful'",
        setup=setup,
        fill=fill,
        keeps="one row of a log for each transition; the job's row is deleted",
        how="its statements build_dequeue_query and build_log_job_query (it sends the second for"
        " several jobs at once where it can)",
        version=version_of(folder, "pgqueuer"),
    )


def pgmq(host: Host) -> Queue:
    folder = install_python()
    source = folder / "pgmq" / "sql"

    def setup(database: Database) -> None:
        database.execute((source / "pgmq.sql").read_text())
        database.execute("SELECT pgmq.create('bench')")

    def fill(database: Database, count: int) -> None:
        in_chunks(
            database,
            "SELECT count(*) FROM pgmq.send_batch('bench', array_fill('{}'::jsonb, ARRAY[%s]))",
            count,
        )

    return Queue(
        key="pgmq",
        label="pgmq, with archive",
        claim="SELECT msg_id FROM pgmq.read('bench', 600, 1)",
        finish="SELECT pgmq.archive('bench', :msg_id::bigint)",
        finished="SELECT count(*) FROM pgmq.a_bench",
        setup=setup,
        fill=fill,
        keeps="the message in its archive, no events",
        how="its functions pgmq.read and pgmq.archive",
        version=(source / "VERSION").read_text().split()[-1],
    )


def absurd(host: Host) -> Queue:
    folder = install_python()
    module = ast.parse((folder / "absurdctl" / "__init__.py").read_text())
    schema = next(
        (
            str(ast.literal_eval(line.value))
            for line in module.body
            if isinstance(line, ast.Assign)
            and isinstance(line.targets[0], ast.Name)
            and line.targets[0].id == "BUNDLED_SCHEMA_SQL"
        ),
        None,
    )
    if not schema:
        raise PeerError("absurdctl carries no schema any more")

    def setup(database: Database) -> None:
        database.execute(schema)
        database.execute("SELECT absurd.create_queue('bench')")

    def fill(database: Database, count: int) -> None:
        in_chunks(
            database,
            # The argument that looks at n has the function called for every n.
            "SELECT count(*) FROM generate_series(1, %s) AS n,"
            " absurd.spawn_task('bench', 'bench', CASE WHEN n > 0 THEN '{}'::jsonb END)",
            count,
        )

    return Queue(
        key="absurd",
        label="Absurd",
        claim="SELECT run_id FROM absurd.claim_task('bench', 'agent', 600, 1)",
        finish="SELECT absurd.complete_run('bench', :run_id, NULL)",
        finished="SELECT count(*) FROM absurd.t_bench WHERE state = 'completed'",
        setup=setup,
        fill=fill,
        keeps="the rows of the task and of its run",
        how="its functions absurd.claim_task and absurd.complete_run",
        version=version_of(folder, "absurdctl"),
    )


Maker = Callable[[Host], Queue]
PEERS: Mapping[str, Maker] = {
    "graphile-worker": graphile_worker,
    "procrastinate": procrastinate,
    "pgqueuer": pgqueuer,
    "pgmq": pgmq,
    "Absurd": absurd,
    "pg-boss": pg_boss,
}
KEEP_NO_HISTORY = {"graphile_worker"}
