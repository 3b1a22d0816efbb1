"""Runs pgbench, which is quick enough not to be what is measured, and reads what it prints."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

WARM_UP = 1  # seconds at the start of a timed slice that do not count: plans and caches fill


class PgbenchError(RuntimeError):
    """pgbench failed, or printed something else than it should."""


@dataclass(frozen=True)
class Slice:
    """One run of a script by so many clients."""

    per_second: float  # executions of the script; of a timed slice, without its warm-up
    executions: int  # all of them, warm-up included
    latency_ms: float
    course: tuple[float, ...]  # executions per second, second by second


def find(bin_dir: Path) -> str:
    """The server's own pgbench, else the one on the PATH."""
    own = bin_dir / "pgbench"
    found = str(own) if own.exists() else shutil.which("pgbench")
    if found is None:
        raise PgbenchError("pgbench not found: it comes with the PostgreSQL client package")
    return found


def parse(output: str, progress: str) -> Slice:
    """From its standard output and the progress lines on standard error."""
    rate = re.search(r"^tps = ([\d.]+)", output, re.MULTILINE)
    count = re.search(r"^number of transactions actually processed: (\d+)", output, re.MULTILINE)
    latency = re.search(r"^latency average = ([\d.]+) ms", output, re.MULTILINE)
    if rate is None or count is None or latency is None:
        raise PgbenchError(f"pgbench printed something unknown:\n{output}{progress}")
    failed = re.search(r"^number of failed transactions: (\d+)", output, re.MULTILINE)
    if failed is not None and int(failed[1]) > 0:
        raise PgbenchError(f"{failed[1]} transactions failed:\n{output}{progress}")
    course = tuple(
        float(tps) for tps in re.findall(r"^progress: [\d.]+ s, ([\d.]+) tps", progress, re.M)
    )
    steady = course[WARM_UP:]
    per_second = sum(steady) / len(steady) if steady else float(rate[1])
    return Slice(per_second, int(count[1]), float(latency[1]), course)


def run(
    program: str,
    dsn: str,
    script: str,
    clients: int,
    *,
    seconds: int | None = None,
    each: int | None = None,
) -> Slice:
    """So many seconds after a warm-up, or so many executions by each client."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        command = [
            program, "--no-vacuum", "--file", file.name, "--client", str(clients),
            "--jobs", str(min(clients, 2)), "--protocol", "prepared",
        ]  # fmt: skip
        if seconds is not None:
            command += ["--time", str(seconds + WARM_UP), "--progress", "1"]
        else:
            command += ["--transactions", str(each)]
        done = subprocess.run([*command, dsn], capture_output=True, text=True, check=False)
    if done.returncode != 0 or "aborted" in done.stderr:
        raise PgbenchError(f"pgbench ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return parse(done.stdout, done.stderr)
