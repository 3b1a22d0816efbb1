"""A whole agent: takes tasks of kind "charge" and calls the kind's provider once for each.

Where the board is, libpq's environment says (PGHOST, PGDATABASE, ...); AGENT is the agent's name,
PROVIDER the provider's. Kill it at any moment and start another one: nothing is charged twice, and
nothing is forgotten. Whatever the provider answers, the agent goes on.
"""

import json
import os
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row
from psycopg.types.json import set_json_loads

AGENT, PROVIDER = os.environ.get("AGENT", "agent-7"), os.environ.get("PROVIDER", "pay")
MOST, PATIENCE = 1_000_000, 45  # bytes of an answer; seconds for all of it, less than a lease


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect's answer is not the provider's: 3xx is an error like any other."""

    def redirect_request(self, *_: Any) -> None:
        return None


def send(call: Any) -> str:
    """The provider's answer as JSON text that the board can keep; whatever else it is raises."""
    request = urllib.request.Request(call.url, (call.body or "").encode(), json.loads(call.headers))
    end, text = time.monotonic() + PATIENCE, b""
    with urllib.request.build_opener(NoRedirects).open(request, timeout=15) as reply:
        while part := reply.read1(65536):
            text += part
            if len(text) > MOST or time.monotonic() > end:
                raise ValueError("the answer is too long, or takes too long")
        if reply.length:
            raise ValueError("the answer broke off")
    answer = json.dumps(json.loads(text), allow_nan=False, ensure_ascii=False)
    return clean(answer.replace("\\u0000", "\ufffd"))


def clean(text: str) -> str:
    """Without what PostgreSQL's text cannot hold: NULs, halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def seconds(retry_after: str | None) -> float:
    """What Retry-After says: a number of seconds or a date; a minute when it says neither."""
    try:
        said = retry_after or "60"
        wait = float(said) if said.isdigit() else parsedate_to_datetime(said).timestamp()
        return min(max(wait if said.isdigit() else wait - time.time(), 0), 86400)
    except (ValueError, OverflowError):
        return 60


def charge(db: psycopg.Connection[Any], task: Any) -> None:
    mine = [task.id, AGENT, task.claim_count]  # the attempt keeps an earlier self out
    call: Any = db.execute(
        "SELECT * FROM board.begin_call(%s, %s, attempt => %s, step => 'charge', request => %s)",
        [*mine, task.payload],
    ).fetchone()  # committed, for the connection is in autocommit: now it may be sent
    if call.decision in ("wait", "indeterminate"):
        return  # the board has put the task off, or given it to people
    answer = call.response  # of an attempt that got this far; NULL in dry-run
    if call.decision in ("send", "sandbox"):
        told = "SELECT board.finish_call(%s, %s, attempt => %s, step => 'charge', response => %s,"
        try:
            answer = send(call)
        except urllib.error.HTTPError as error:
            if not 400 <= error.code < 500:
                raise  # perhaps it took effect: then nobody knows, and no outcome is told
            db.execute(f"{told} succeeded => false)", [*mine, f'{{"refused": {error.code}}}'])
            if error.code != 429:
                raise
            wait = f"{seconds(error.headers['Retry-After']):f} s"  # no strike: it said when
            db.execute("SELECT board.throttle(%s, retry_after => %s)", [PROVIDER, wait])
            db.execute("SELECT board.release(%s, %s, attempt => %s, delay => %s)", [*mine, wait])
            return
        db.execute(f"{told} succeeded => true)", [*mine, answer])
    db.execute("SELECT board.complete(%s, %s, attempt => %s, result => %s)", [*mine, answer])


# JSON stays text: some of what PostgreSQL takes, Python's reader gives up on.
set_json_loads(lambda data: data if isinstance(data, str) else bytes(data).decode())
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
            except Exception as error:  # a strike; the third: people
                if db.closed or getattr(error, "sqlstate", None) == "TB001":
                    raise
                failed = "SELECT board.fail(%s, %s, attempt => %s, payload => %s)"
                said = json.dumps({"error": clean(str(error) or repr(error))[:1000]})
                db.execute(failed, [task.id, AGENT, task.claim_count, said])
        except psycopg.Error as error:
            if error.sqlstate != "TB001":  # lease lost: the task is somebody else's by now
                raise
