"""An agent of the demo: hashes files and counts their lines, task by task, through the board.

    BOARD_DSN=... python -m installer.demo.worker --agent NAME --kind KIND

It is a process of its own with a connection of its own and knows nothing but the board's SQL
functions. It never polls: when there is nothing to claim it sleeps until a notification comes, or
until the moment that board.next_due() names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from installer import assemble
from installer.demo.files import decode_path

CHUNK = 1 << 20
LEASE_LOST = "TB001"


class LeaseLostError(Exception):
    """The task is not ours any more: stop working on it."""


@dataclass
class Worker:
    """One agent. The verbs it says are the whole of what a client of the board needs."""

    connection: psycopg.Connection[dict[str, Any]]
    schema: str
    agent: str
    kind: str
    ttl: timedelta
    stall_after: int | None = None
    done: int = 0
    idle: bool = False
    stopping: bool = False

    def run(self) -> None:
        """Claim, work, complete; until told to stop."""
        self.connection.execute(listen(self.schema))
        while not self.stopping:
            self._forget_notifications()
            task = self._one("claim(%s, %s, ARRAY[%s])", self.agent, self.ttl, self.kind)
            if task is None:
                self._sleep()
                continue
            try:
                self._work(task)
            except LeaseLostError:
                continue
            except psycopg.Error as error:
                if error.sqlstate != LEASE_LOST:
                    raise
            self.done += 1

    def _work(self, task: dict[str, Any]) -> None:
        try:
            result = self._hash(task)
        except OSError as error:
            reason = {
                "error": error.strerror or str(error),
                "reading": str(decode_path(task["payload"])),
            }
            self._one(
                "fail(%s, %s, payload => %s, attempt => %s)",
                *(task["id"], self.agent, Jsonb(reason), task["claim_count"]),
            )
        else:
            self._one(
                "complete(%s, %s, %s, %s)",
                *(task["id"], self.agent, Jsonb(result), task["claim_count"]),
            )

    def _hash(self, task: dict[str, Any]) -> dict[str, Any]:
        digest = hashlib.sha256()
        size = lines = 0
        beat = time.monotonic()
        with decode_path(task["payload"]).open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
                size += len(chunk)
                lines += chunk.count(b"\n")
                if time.monotonic() - beat > self.ttl.total_seconds() / 3:
                    self._heartbeat(task, size)
                    beat = time.monotonic()
            if self.stall_after is not None and self.done >= self.stall_after:
                self._stall(task, size)
        return {"sha256": digest.hexdigest(), "lines": lines, "bytes": size}

    def _heartbeat(self, task: dict[str, Any], size: int) -> None:
        row = self._one(
            "heartbeat(%s, %s, %s, %s, %s) AS until",
            *(task["id"], self.agent, self.ttl, Jsonb({"bytes": size}), task["claim_count"]),
        )
        if row is None or row["until"] is None:
            raise LeaseLostError

    def _stall(self, task: dict[str, Any], size: int) -> None:
        """For the demo's victim: alive, in the middle of a task, until it is killed."""
        self._heartbeat(task, size)
        print(json.dumps({"stalled": str(task["id"])}), flush=True)
        while not self.stopping:
            time.sleep(self.ttl.total_seconds() / 3)
            self._heartbeat(task, size)

    def _forget_notifications(self) -> None:
        for _ in self.connection.notifies(timeout=0):
            pass

    def _sleep(self) -> None:
        row = self.connection.execute(
            f"SELECT EXTRACT(epoch FROM {self.schema}.next_due(ARRAY[%s]) - clock_timestamp())"
            "::float8 AS seconds",
            [self.kind],
        ).fetchone()
        due = 5.0 if row is None or row["seconds"] is None else float(row["seconds"])
        self.idle = True
        if not self.stopping:
            for _ in self.connection.notifies(timeout=min(max(due, 0.02), 5.0), stop_after=1):
                pass
        self.idle = False

    def _one(self, call: str, *arguments: Any) -> dict[str, Any] | None:
        query = f"SELECT * FROM {self.schema}.{call}"
        return self.connection.execute(query.encode(), arguments).fetchone()

    def stop(self, *_: object) -> None:
        """SIGTERM: finish the task at hand; when idle, go at once."""
        self.stopping = True
        if self.idle:
            sys.exit(0)


def listen(schema: str) -> sql.Composed:
    """LISTEN on the channel of that board: task_events for schema board, else with its name."""
    channel = "task_events" if schema == "board" else f"{schema}.task_events"
    return sql.SQL("LISTEN {}").format(sql.Identifier(channel))


def _stop_with_parent() -> None:
    """Standard input ends when the parent does, however it died: then nobody waits for us."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Reads the command line; the connection string comes in the environment, out of ps's sight."""
    parser = argparse.ArgumentParser(prog="python -m installer.demo.worker")
    parser.add_argument("--agent", required=True)
    parser.add_argument("--kind", required=True)
    parser.add_argument("--schema", default="board")
    parser.add_argument("--ttl", type=float, default=3.0, metavar="SECONDS")
    parser.add_argument("--stall-after", type=int, metavar="TASKS")
    asked = parser.parse_args()
    with psycopg.connect(
        os.environ.get("BOARD_DSN", ""),
        autocommit=True,
        prepare_threshold=None,  # through a pooler, the next statement may meet another session
        row_factory=dict_row,
        application_name=asked.agent,
    ) as connection:
        worker = Worker(
            connection,
            assemble.check_schema(asked.schema),
            asked.agent,
            asked.kind,
            timedelta(seconds=asked.ttl),
            asked.stall_after,
        )
        signal.signal(signal.SIGTERM, worker.stop)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to handle
        threading.Thread(target=_stop_with_parent, daemon=True).start()
        worker.run()


if __name__ == "__main__":
    main()
