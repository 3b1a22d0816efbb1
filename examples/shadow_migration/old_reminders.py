"""The old automation: reads overdue invoices, a line of JSON each, and mails a late fee for each.

It has run for years and goes on as ever. What is new is that it tells the board what it did; it
needs the right to do so and no other (role board_agent).

    python -m examples.shadow_migration.old_reminders MAIL_URL BOARD_DSN < events.jsonl
"""

import json
import sys
import urllib.request
from typing import Any

import psycopg
from psycopg.types.json import Jsonb


def reminder(event: dict[str, Any]) -> dict[str, str]:
    """1.5 % of the amount for every 30 days begun."""
    periods = event["days_late"] // 30 + 1
    fee = round(float(event["amount"]) * 0.015 * periods, 2)
    return {
        "to": event["email"],
        "invoice": event["invoice"],
        "fee": f"{fee:.2f}",
        "client": "old-reminders/2.3",
    }


def main(mail_url: str, board_dsn: str) -> None:
    with psycopg.connect(board_dsn, autocommit=True) as board:
        for line in sys.stdin:
            event = json.loads(line)
            mail = reminder(event)
            with urllib.request.urlopen(mail_url, json.dumps(mail).encode(), timeout=30):
                pass
            board.execute(
                "SELECT board.record_actual('send_reminder', %s, 'mail', %s)",
                [event["invoice"], Jsonb(mail)],
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
