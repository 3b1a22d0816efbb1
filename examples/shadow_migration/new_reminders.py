"""The rewrite: an agent that works off tasks of kind send_reminder until there are none.

It does the same in every mode: it asks the board before it mails, and mails only if the board says
so. What it would have mailed is thereby on record, beside what the old automation did.

    python -m examples.shadow_migration.new_reminders BOARD_DSN
"""

import json
import sys
import urllib.request
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb

AGENT = "reminders-1"


def reminder(event: dict[str, Any]) -> dict[str, str]:
    """1.5 % of the amount for every 30 days begun."""
    periods = event["days_late"] // 30 + 1
    fee = (Decimal(event["amount"]) * Decimal("0.015") * periods).quantize(
        Decimal("0.01"), ROUND_HALF_UP
    )
    return {
        "to": event["email"],
        "invoice": event["invoice"],
        "fee": str(fee),
        "client": "board",
    }


def work(board: psycopg.Connection[Any], task: Any) -> None:
    mine = [task.id, AGENT, task.claim_count]
    call: Any = board.execute(
        "SELECT * FROM board.begin_call(%s, %s, attempt => %s, step => 'mail', request => %s)",
        [*mine, Jsonb(reminder(task.payload))],
    ).fetchone()
    if call.decision in ("wait", "indeterminate"):
        return  # the board has put the task off, or given it to people
    if call.decision in ("send", "sandbox"):
        mail = urllib.request.Request(call.url, call.body.encode(), call.headers)
        with urllib.request.urlopen(mail, timeout=30) as reply:
            answer = json.load(reply)
        board.execute(
            "SELECT board.finish_call(%s, %s, attempt => %s, step => 'mail', response => %s)",
            [*mine, Jsonb(answer)],
        )
    board.execute("SELECT board.complete(%s, %s, attempt => %s)", mine)


def main(board_dsn: str) -> None:
    with psycopg.connect(board_dsn, autocommit=True, row_factory=namedtuple_row) as board:
        claim = "SELECT * FROM board.claim(%s, kinds => '{send_reminder}')"
        while (task := board.execute(claim, [AGENT]).fetchone()) is not None:
            work(board, task)


if __name__ == "__main__":
    main(*sys.argv[1:])
