"""An old automation is replaced by board tasks, without anybody noticing: a story in three acts.

120 overdue invoices come in. The old script answers the first 100; the rewrite sees the same ones,
first in dry_run, then in shadow, and sends nothing. A person looks at where they differ. Then the
rewrite goes live and answers the last 20 alone.

    python -m examples.shadow_migration [DSN]

The database must have board installed; without DSN libpq's environment says where it is.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from examples.shadow_migration.mail_service import MailService, running

HERE = Path(__file__).parent
Board = psycopg.Connection[dict[str, Any]]


def ask(board: Board, query: LiteralString, *arguments: Any) -> list[dict[str, Any]]:
    return board.execute(query, arguments).fetchall()


def run(program: str, *arguments: str, given: str = "") -> None:
    """One of the two automations, as the process of its own that it is."""
    subprocess.run(
        [sys.executable, "-m", f"examples.shadow_migration.{program}", *arguments],
        cwd=HERE.parents[1],
        input=given,
        text=True,
        check=True,
    )


def report(board: Board, mail: MailService) -> None:
    gate = ask(board, "SELECT * FROM board.promotion_report('send_reminder')")[0]
    print(f"  mails from the old script: {mail.sent_by('old-reminders/2.3')}")
    print(f"  mails from the rewrite:    {mail.sent_by('board')}")
    print(
        f"  comparisons: {gate['comparisons']}, agreed {gate['agreed']},"
        f" diverged {gate['diverged']}, agreement at least {gate['agreement_low']}"
    )
    for reason in gate["unmet"]:
        print(f"  in the way: {reason}")


def main(dsn: str = "") -> None:
    events = (HERE / "events.jsonl").read_text().splitlines(keepends=True)
    with running() as mail, psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as board:

        def happen(some: list[str], *, old_script: bool) -> None:
            """Events of the real world: each goes to whoever is there to answer it."""
            if old_script:
                run("old_reminders", mail.url, dsn, given="".join(some))
            for line in some:
                event = json.loads(line)
                board.execute(
                    "SELECT board.enqueue('send_reminder', %s, correlation_id => %s)",
                    [Jsonb(event), event["invoice"]],
                )
            run("new_reminders", dsn)

        board.execute("SELECT board.promote('send_reminder', 'dry_run', actor => 'ana')")
        board.execute("SELECT board.configure_provider('mail', base_url => %s)", [mail.url])
        board.execute(
            # An hour of shadow would be little in real life; here nobody wants to wait for it.
            "SELECT board.configure_kind('send_reminder', provider => 'mail',"
            " min_comparisons => 60, min_shadow_time => '0')"
        )

        print("Act 1, dry_run: 20 events")
        happen(events[:20], old_script=True)
        report(board, mail)
        for row in ask(
            board,
            "SELECT c.paths, count(*) AS times, (min(c.decided::text)::jsonb) AS decided"
            " FROM board.comparisons AS c WHERE c.verdict = 'diverged' GROUP BY c.paths",
        ):
            print(f"  they differ at {', '.join(row['paths'])} ({row['times']} times)")
        print("  ana: who sends it is noise")
        board.execute("SELECT board.configure_kind('send_reminder', ignored_paths => '{$.client}')")
        board.execute("SELECT board.promote('send_reminder', 'shadow', actor => 'ana')")

        print("Act 2, shadow: 80 events")
        happen(events[20:100], old_script=True)
        report(board, mail)
        try:
            board.execute("SELECT board.promote('send_reminder', 'live', actor => 'ana')")
        except psycopg.Error as refused:
            print(f"  ana promotes: {refused.diag.message_primary} ({refused.sqlstate})")
        for row in ask(
            board, "SELECT d.correlation_id, d.step, d.differences FROM board.divergences AS d"
        ):
            print(f"  {row['correlation_id']}, {row['step']}: {row['differences']}")
            print("  ana: half a cent; the old script's float lies just below, so it rounds down")
            board.execute(
                "SELECT board.explain_divergence('send_reminder', %s, %s, 'ana', %s)",
                [
                    row["correlation_id"],
                    row["step"],
                    "1.5 % of 67.00 is 1.005; the float is a little less; the rewrite is right",
                ],
            )
        report(board, mail)
        board.execute("SELECT board.promote('send_reminder', 'live', actor => 'ana')")

        print("Act 3, live: 20 events, and the old script is switched off")
        happen(events[100:], old_script=False)
        print(f"  mails from the old script: {mail.sent_by('old-reminders/2.3')}")
        print(f"  mails from the rewrite:    {mail.sent_by('board')}")
        invoices = {sent["invoice"] for sent, _ in mail.mails}
        print(f"{len(invoices)} invoices, {len(mail.mails)} mails")


if __name__ == "__main__":
    main(*sys.argv[1:])
