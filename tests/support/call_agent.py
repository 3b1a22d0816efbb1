"""An agent process that can be made to die at a chosen moment of its call.

    python -m tests.support.call_agent DSN NAME MOMENT

It takes one task, makes step "charge" of it, completes it and prints the decision it got. At the
moment named it kills itself with SIGKILL; `never` lets it live.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import urllib.request
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

MOMENTS = (
    "before_begin",
    "in_begin",
    "after_begin",
    "in_request",
    "after_request",
    "in_finish",
    "after_finish",
)


def post(url: str, body: str, headers: dict[str, str]) -> Any:
    request = urllib.request.Request(url, body.encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def main() -> None:
    dsn, name, moment = sys.argv[1:]

    def at(this: str) -> None:
        if this == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    with psycopg.connect(dsn, autocommit=True, row_factory=namedtuple_row) as db:
        task: Any = db.execute("SELECT * FROM board.claim(%s, '1 hour')", [name]).fetchone()
        if task is None:
            print("nothing to do")
            return
        me = {"id": task.id, "agent": name, "attempt": task.claim_count}
        at("before_begin")
        with db.transaction():
            ticket: Any = db.execute(
                "SELECT * FROM board.begin_call(%(id)s, %(agent)s, 'charge', 'pay',"
                " (SELECT payload FROM board.tasks WHERE id = %(id)s), attempt => %(attempt)s)",
                me,
            ).fetchone()
            at("in_begin")
        at("after_begin")
        print(ticket.decision, flush=True)
        if ticket.decision == "send":
            answer = post(ticket.url, ticket.body, ticket.headers)
            at("after_request")
            with db.transaction():
                db.execute(
                    "SELECT board.finish_call(%(id)s, %(agent)s, 'charge', %(answer)s::jsonb,"
                    " attempt => %(attempt)s)",
                    {**me, "answer": json.dumps(answer)},
                )
                at("in_finish")
            at("after_finish")
        elif ticket.decision != "done":
            return
        db.execute("SELECT board.complete(%(id)s, %(agent)s, attempt => %(attempt)s)", me)


if __name__ == "__main__":
    main()
