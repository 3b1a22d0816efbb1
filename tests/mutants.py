"""Break one guard at a time and see a test fail: `python -m tests.mutants [NAME ...]`.

A test that passes on a broken board guards nothing. Each mutant is one change to one function, the
naive variant of what it does; the tests named beside it must fail on a board that was installed
with it. Not part of the suite: it takes minutes, and is run when a guard or its test has changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.sources import ROOT, SQL


@dataclass(frozen=True)
class Mutant:
    """What is broken, where, how, and who must notice."""

    name: str
    file: str
    old: str
    new: str
    tests: str

    def statements(self) -> str:
        text = (SQL / self.file).read_text()
        if self.old not in text:
            raise SystemExit(f"{self.name}: {self.file} no longer holds {self.old!r}")
        return text.replace(self.old, self.new)


TASKS = "functions/tasks"
EVENTS = "functions/events"
SPEC = "tests/test_isolation.py::test_spec"
MUTANTS = (
    Mutant(
        "the lease counts from the start of the transaction",
        f"{TASKS}/_claim_kind.sql",
        "leased_until = _now + ",
        "leased_until = transaction_timestamp() + ",
        "tests/test_lease.py::test_lease_from_an_old_transaction",
    ),
    Mutant(
        "heartbeat counts from the start of the transaction",
        f"{TASKS}/_heartbeat.sql",
        "    _now := clock_timestamp();",
        "    _now := transaction_timestamp();",
        "tests/test_lease.py::test_lease_from_an_old_transaction",
    ),
    Mutant(
        "the clock is read before the lock",
        f"{TASKS}/_check_lease.sql",
        "_now timestamptz := clock_timestamp();",
        "_now timestamptz := statement_timestamp();",
        f"{SPEC}[complete-late]",
    ),
    Mutant(
        "heartbeat reads the clock before the lock",
        f"{TASKS}/_heartbeat.sql",
        "    _now := clock_timestamp();",
        "    _now := statement_timestamp();",
        f"{SPEC}[complete-late]",
    ),
    Mutant(
        "the attempt does not fence",
        f"{TASKS}/_holds.sql",
        "AND (attempt IS NULL OR (task).claim_count = attempt)",
        "",
        "tests/test_lease.py::test_after_takeover_the_previous_holder_is_refused",
    ),
    Mutant(
        "a lapsed lease counts until somebody takes it",
        f"{TASKS}/_holds.sql",
        "AND (task).leased_until > at",
        "",
        "tests/test_lease.py::test_a_lapsed_lease_that_nobody_took",
    ),
    Mutant(
        "claim updates what a subquery with LIMIT and SKIP LOCKED gives (bug 15715)",
        f"{TASKS}/_claim_kind.sql",
        "WHERE t.id = ANY (_ids)\n",
        "WHERE t.id IN (SELECT x.id FROM board.tasks AS x WHERE x.kind = _claim_kind.kind"
        " AND x.status = 'pending' ORDER BY ~x.priority, x.created_at, x.id"
        " LIMIT wanted FOR UPDATE SKIP LOCKED)\n",
        "tests/test_plans.py",
    ),
    Mutant(
        "claim does not skip locked rows",
        f"{TASKS}/_claim_kind.sql",
        "FOR UPDATE SKIP LOCKED",
        "FOR UPDATE",
        f"{SPEC}[claim-claim]",
    ),
    Mutant(
        "claim does not lock",
        f"{TASKS}/_claim_kind.sql",
        "           FOR UPDATE SKIP LOCKED",
        "",
        "tests/test_processes.py::test_drain",
    ),
    Mutant(
        "the slot is judged in the statement that locks it",
        f"{TASKS}/_take_slots.sql",
        "EXIT WHEN cardinality(_free) > 0",
        "_free := _locked; EXIT WHEN cardinality(_free) > 0",
        "tests/test_providers.py -k in_progress",
    ),
    Mutant(
        "a swept row is not looked at again",
        f"{TASKS}/_expire_ids.sql",
        "IF _task.status IN ('scheduled', 'in_progress')",
        "IF _task.status IN ('scheduled', 'in_progress') OR true",
        "tests/test_processes.py",
    ),
    Mutant(
        "sweepers wait for each other",
        f"{TASKS}/_expire_ids.sql",
        "FOR UPDATE SKIP LOCKED",
        "FOR UPDATE",
        f"{SPEC}[promote-max-lapses]",
    ),
    Mutant(
        "enqueue gives up after one look",
        f"{TASKS}/_enqueue.sql",
        "    END LOOP;",
        "    EXIT; END LOOP; RETURN NULL;",
        f"{SPEC}[enqueue-unique]",
    ),
    Mutant(
        "complete_many locks in the order given",
        f"{TASKS}/_complete_many.sql",
        "         ORDER BY t.id\n",
        "         ORDER BY array_position(_complete_many.ids, t.id)\n",
        f"{SPEC}[complete-many-deadlock]",
    ),
    Mutant(
        "paused kinds are left out after they were read",
        f"{TASKS}/_open_kinds.sql",
        "k.paused IS NOT TRUE",
        "true",
        "tests/test_plans.py::test_a_paused_kind_costs_a_claim_nothing",
    ),
    Mutant(
        "the feed forgets who was writing",
        f"{EVENTS}/_fresh_seqs.sql",
        "    _open xid8[] := ARRAY(SELECT o.xid FROM pg_snapshot_xip(seen) AS o (xid)\n"
        "                           WHERE pg_visible_in_snapshot(o.xid, page));",
        "    _open xid8[] := '{}';",
        "tests/test_feed.py",
    ),
    Mutant(
        "the caller's own transaction is not open in its cursor",
        f"{EVENTS}/_open_snapshot.sql",
        "SELECT pg_current_xact_id_if_assigned()",
        "SELECT NULL::xid8",
        "tests/test_feed.py::test_own_uncommitted_events_are_left_out_and_come_later",
    ),
    Mutant(
        "a restored task is an enqueued one",
        f"{EVENTS}/_log_task.sql",
        "IF NOT _by_verb THEN\n            RETURN NULL;",
        "IF false THEN\n            RETURN NULL;",
        "tests/test_dump.py",
    ),
    Mutant(
        "a restored event is announced",
        "triggers.sql",
        "FOR EACH ROW WHEN (pg_trigger_depth() > 0)\n    EXECUTE FUNCTION board._announce();",
        "FOR EACH ROW EXECUTE FUNCTION board._announce();",
        "tests/test_dump.py",
    ),
    Mutant(
        "the doorbell is rung at once, not at commit",
        "triggers.sql",
        "DEFERRABLE INITIALLY DEFERRED",
        "DEFERRABLE INITIALLY IMMEDIATE",
        "tests/test_notify.py::test_coalesced_survives_a_ringer_that_rolls_back",
    ),
    Mutant(
        "the announcement carries the payload",
        f"{EVENTS}/_announce.sql",
        "'seq', NEW.seq",
        "'seq', NEW.seq, 'payload', NEW.payload",
        "tests/test_notify.py::test_kinds_and_payloads_of_any_sort",
    ),
)


def try_out(mutant: Mutant) -> bool:
    """Whether the tests noticed."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as patch:
        patch.write(mutant.statements())
        patch.flush()
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
             *mutant.tests.split(" ")],
            cwd=ROOT, env={**os.environ, "BOARD_TEST_PATCH": patch.name},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode not in (0, 1):
        raise SystemExit(f"{mutant.name}: pytest did not run\n{done.stdout[-3000:]}{done.stderr}")
    return done.returncode == 1


def main() -> int:
    asked = sys.argv[1:]
    survivors = 0
    for mutant in MUTANTS:
        if asked and not any(word in mutant.name for word in asked):
            continue
        began = time.monotonic()
        noticed = try_out(mutant)
        survivors += not noticed
        verdict = "noticed " if noticed else "SURVIVED"
        where = Path(mutant.file).name
        print(f"{verdict} {time.monotonic() - began:4.0f} s  {mutant.name} ({where})", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
