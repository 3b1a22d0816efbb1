"""An agent that plans, fans out to four agents, and joins: `python examples/fan_out.py DSN`.

It claims a task, breaks it down into parts, and hands it back until the parts are done. Nobody
waits in a loop for them: the task is blocked, costs nothing, and is given out again, to whichever
agent comes first, in the moment in which the last part is completed.
"""

from __future__ import annotations

import sys
import threading
from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

Session = psycopg.Connection[Any]

PAGES = ["needs", "locks", "calls", "modes"]


def work(dsn: str, agent: str, until: threading.Event) -> None:
    """One agent: it takes whatever comes, the whole or a part."""
    with psycopg.connect(dsn, autocommit=True) as db:
        while not until.is_set():
            row = db.execute(
                "SELECT id, kind, payload, claim_count FROM board.claim(%s, '1 minute', %s)",
                (agent, ["summary", "read"]),
            ).fetchone()
            if row is None:
                until.wait(0.05)  # an agent of your own would LISTEN and sleep until next_due()
                continue
            (task, kind, payload, attempt) = row
            if kind == "read":
                finish(db, task, agent, attempt, {"page": payload["page"], "words": 100})
                continue
            parts = db.execute(
                "SELECT kind, result FROM board.needed_results(%s)", (task,)
            ).fetchall()
            if parts:
                finish(db, task, agent, attempt, {"words": sum(part["words"] for _, part in parts)})
                print(f"{agent} has joined {len(parts)} parts")
                until.set()
            else:
                plan(db, task, agent, attempt, payload["pages"])


def plan(db: Session, task: UUID, agent: str, attempt: int, pages: list[str]) -> None:
    """Enqueue the parts and hand the whole back until they are done, in one transaction."""
    parts = [{"name": page, "kind": "read", "payload": {"page": page}} for page in pages]
    with db.transaction():
        db.execute(
            "SELECT board.release(%s, %s, attempt => %s, needs => ARRAY("
            "SELECT p.id FROM board.enqueue_plan(%s, %s) AS p))",
            (task, agent, attempt, Jsonb(parts), f"summary {task}"),
        )
    print(f"{agent} has planned {len(pages)} parts")


def finish(db: Session, task: UUID, agent: str, attempt: int, result: Any) -> None:
    db.execute("SELECT board.complete(%s, %s, %s, %s)", (task, agent, Jsonb(result), attempt))


def main() -> None:
    dsn = sys.argv[1] if len(sys.argv) > 1 else ""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("SELECT board.enqueue('summary', %s)", (Jsonb({"pages": PAGES}),))
    done = threading.Event()
    agents = [threading.Thread(target=work, args=(dsn, f"agent-{n}", done)) for n in range(1, 5)]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()


if __name__ == "__main__":
    main()
