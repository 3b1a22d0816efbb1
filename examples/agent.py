"""A whole agent: takes tasks of kind "charge" and calls the kind's provider once for each.

Where the board is, libpq's environment says (PGHOST, PGDATABASE, ...); AGENT is the agent's name.
Kill it at any moment and start another one: nothing is charged twice, and nothing is forgotten.
"""

import json
import os
import urllib.error
import urllib.request
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb

AGENT = os.environ.get("AGENT", "agent-7")


def charge(db: psycopg.Connection[Any], task: Any) -> None:
    mine = [task.id, AGENT, task.claim_count]  # the attempt keeps an earlier self out
    call: Any = db.execute(
        "SELECT * FROM board.begin_call(%s, %s, attempt => %s, step => 'charge', request => %s)",
        [*mine, Jsonb(task.payload)],
    ).fetchone()  # committed, for the connection is in autocommit: now it may be sent
    if call.decision in ("wait", "indeterminate"):
        return  # the board has put the task off, or given it to people
    answer = call.response  # of an attempt that got this far; NULL in dry-run
    if call.decision in ("send", "sandbox"):
        try:
            request = urllib.request.Request(call.url, (call.body or "").encode(), call.headers)
            with urllib.request.urlopen(request, timeout=30) as reply:
                answer, succeeded = json.load(reply), True
        except urllib.error.HTTPError as error:
            if error.code >= 500:
                raise  # perhaps it took effect: then nobody knows, and no outcome is told
            answer, succeeded = {"refused": error.code}, False
        told = "SELECT board.finish_call(%s, %s, attempt => %s, step => 'charge', response => %s,"
        db.execute(told + " succeeded => %s)", [*mine, Jsonb(answer), succeeded])
        if not succeeded:
            raise RuntimeError(f"refused with {answer['refused']}")
    db.execute("SELECT board.complete(%s, %s, attempt => %s, result => %s)", [*mine, Jsonb(answer)])


with psycopg.connect(autocommit=True, row_factory=namedtuple_row) as db:
    db.execute("LISTEN task_events")
    while True:
        task: Any = db.execute(
            "SELECT * FROM board.claim(%s, kinds => '{charge}')", [AGENT]
        ).fetchone()
        if task is None:  # sleep until something may have become claimable, or is announced
            due = "extract(epoch FROM board.next_due('{charge}') - clock_timestamp())"
            nap: Any = db.execute(f"SELECT greatest(0.1, least(60, {due}))::float").fetchone()
            list(db.notifies(timeout=nap[0], stop_after=1))
            continue
        try:
            try:
                charge(db, task)
            except (OSError, ValueError, RuntimeError) as error:  # a strike; the third: people
                failed = "SELECT board.fail(%s, %s, attempt => %s, payload => %s)"
                db.execute(failed, [task.id, AGENT, task.claim_count, Jsonb({"error": str(error)})])
        except psycopg.Error as error:
            if error.sqlstate != "TB001":  # lease lost: the task is somebody else's by now
                raise
