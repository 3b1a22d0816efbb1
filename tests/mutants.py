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
MODES = "functions/modes"
PROVIDERS = "functions/providers"
SPEC = "tests/test_isolation.py::test_spec"
MUTANTS = (
    Mutant(
        "a merge of kinds goes beyond what it has read",
        "functions/tasks/_ready_heads.sql",
        "WHERE NOT EXISTS (SELECT FROM bound)\n        OR",
        "WHERE true\n        OR",
        "tests/test_order.py",
    ),
    Mutant(
        "due tasks are taken by their moment",
        "functions/tasks/_due_ids.sql",
        "ORDER BY ~t.priority, t.created_at, t.id);",
        "ORDER BY t.due_at DESC);",
        "tests/test_order.py",
    ),
    Mutant(
        "a claim puts back all that is due",
        "functions/tasks/_promote_due.sql",
        "least(1000, greatest(100, wanted, cardinality(_ids) / 10))",
        "cardinality(_ids)",
        "tests/test_order.py -k great_many",
    ),
    Mutant(
        "what goes to the human queue does not count as put back",
        "functions/tasks/_promote_due.sql",
        "AND _expired < 3 * _batch",
        "",
        "tests/test_order.py -k great_many_lapse",
    ),
    Mutant(
        "due tasks of a full kind hide those of others",
        "functions/tasks/_promote_due.sql",
        "AND special <> '{}' THEN",
        "AND false THEN",
        "tests/test_order.py -k kind_that_is_full",
    ),
    Mutant(
        "claim passes over what is due and not put back",
        "functions/tasks/_claim.sql",
        "coalesce(_due.rank, 2147483647)",
        "2147483647",
        "tests/test_order.py -k great_many_lapse",
    ),
    Mutant(
        "the rules of a row are not held after a change by hand",
        "functions/rows/_raise_broken_rule.sql",
        "IF rule IS NOT NULL THEN",
        "IF false THEN",
        "sql/tests/rows/test_rules.sql",
    ),
    Mutant(
        "a stranger's heartbeat locks the row",
        "functions/tasks/_heartbeat.sql",
        "    IF NOT board._holds_lease(_task, who, _heartbeat.attempt, _now) THEN\n"
        "        RETURN NULL;\n"
        "    END IF;\n"
        "    SELECT",
        "    SELECT",
        "tests/test_isolation.py::test_spec[strangers]",
    ),
    Mutant(
        "a stranger's complete_many locks the rows",
        "functions/tasks/_complete_many.sql",
        "           AND CASE WHEN t.status = 'in_progress' AND t.leased_by = who\n"
        "               THEN t.leased_until > _now ELSE false END);",
        ");",
        "tests/test_isolation.py::test_spec[strangers]",
    ),
    Mutant(
        "the lease counts from the start of the transaction",
        "functions/rows/_lease.sql",
        "leased_until = _now + ",
        "leased_until = transaction_timestamp() + ",
        "tests/test_lease.py::test_lease_from_an_old_transaction",
    ),
    Mutant(
        "the last lapse is one like the others",
        "functions/checks/_status_at.sql",
        "(max_lapses OPERATOR(pg_catalog.-) 1)",
        "max_lapses",
        "tests/test_readiness.py",
    ),
    Mutant(
        "the slot of a lapsed holder looks taken",
        "functions/rows/_has_free_slot.sql",
        "t.due_at <= _has_free_slot.at",
        "t.due_at <= '-infinity'",
        "tests/test_readiness.py::test_what_is_shown_is_what_a_claim_finds",
    ),
    Mutant(
        "claim_task is refused by the slot of a lapsed holder",
        "functions/rows/_lapsed_holders.sql",
        "t.due_at <= _lapsed_holders.at",
        "t.due_at <= '-infinity'",
        "tests/test_readiness.py::test_what_is_shown_is_what_a_claim_finds",
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
        "functions/rows/_check_lease.sql",
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
        "functions/rows/_holds_lease.sql",
        "AND (attempt IS NULL OR (task).claim_count = attempt)",
        "",
        "tests/test_lease.py::test_after_takeover_the_previous_holder_is_refused",
    ),
    Mutant(
        "a lapsed lease counts until somebody takes it",
        "functions/rows/_holds_lease.sql",
        "AND (task).leased_until > at",
        "",
        "tests/test_lease.py::test_a_lapsed_lease_that_nobody_took",
    ),
    Mutant(
        "claim updates what a subquery with LIMIT and SKIP LOCKED gives (bug 15715)",
        "functions/rows/_lease_ready.sql",
        "WHERE t.id = ANY (ARRAY(\n"
        "                   SELECT r.id\n"
        "                     FROM board.tasks AS r\n"
        "                    WHERE r.id = ANY (_lease_ready.ids)\n"
        "                      AND CASE WHEN r.rank IS NULL THEN false ELSE true END\n"
        "                    ORDER BY r.rank, r.created_at, r.id\n"
        "                    LIMIT _lease_ready.wanted\n"
        "                      FOR UPDATE SKIP LOCKED))\n",
        "WHERE t.id IN (\n"
        "                   SELECT r.id\n"
        "                     FROM board.tasks AS r\n"
        "                    WHERE r.id = ANY (_lease_ready.ids)\n"
        "                      AND CASE WHEN r.rank IS NULL THEN false ELSE true END\n"
        "                    ORDER BY r.rank, r.created_at, r.id\n"
        "                    LIMIT _lease_ready.wanted\n"
        "                      FOR UPDATE SKIP LOCKED)\n",
        "tests/test_plans.py",
    ),
    Mutant(
        "claim does not skip locked rows",
        "functions/tasks/claim.sql",
        "FOR UPDATE SKIP LOCKED",
        "FOR UPDATE",
        "tests/test_isolation.py::test_spec[claim-claim]",
    ),
    Mutant(
        "claim does not lock",
        "functions/tasks/claim.sql",
        "\n                            FOR UPDATE SKIP LOCKED)",
        ")",
        "tests/test_processes.py::test_drain",
    ),
    Mutant(
        "the slot is judged in the statement that locks it",
        "functions/rows/_free_slots.sql",
        "EXIT WHEN cardinality(_free) > 0",
        "_free := _locked; EXIT WHEN cardinality(_free) > 0",
        "tests/test_providers.py::test_two_at_a_time",
    ),
    Mutant(
        "a swept row is not looked at again",
        "functions/rows/_expire_tasks.sql",
        "WHEN 'in_progress' THEN t.leased_until <= _expire_tasks.at",
        "WHEN 'in_progress' THEN true",
        "tests/test_processes.py",
    ),
    Mutant(
        "sweepers wait for each other",
        "functions/rows/_expire_tasks.sql",
        "FOR UPDATE OF t SKIP LOCKED",
        "FOR UPDATE OF t",
        "tests/test_isolation.py::test_spec[promote-max-lapses]",
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
        "functions/tasks/_complete_many.sql",
        "ORDER BY t.id FOR UPDATE;",
        "ORDER BY array_position(_complete_many.ids, t.id) FOR UPDATE;",
        "tests/test_isolation.py::test_spec[complete-many-deadlock]",
    ),
    Mutant(
        "paused kinds are left out after they were read",
        f"{TASKS}/_claimable_kinds.sql",
        "k.paused IS NOT TRUE",
        "true",
        "tests/test_plans.py::test_a_paused_kind_costs_a_claim_nothing",
    ),
    Mutant(
        "the feed forgets who was writing",
        "functions/events/_unseen_events.sql",
        "WHERE pg_visible_in_snapshot(o.xid, page)",
        "WHERE false",
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
        "functions/rows/_log_insert.sql",
        "IF NEW.turn <> (extract",
        "IF false AND NEW.turn <> (extract",
        "tests/test_dump.py",
    ),
    Mutant(
        "a restored event is announced",
        f"{EVENTS}/_notify_event.sql",
        "    IF NEW.created_at < transaction_timestamp() THEN\n        RETURN NULL;\n    END IF;\n",
        "",
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
        "the bell is an advisory lock, which everybody can hold",
        f"{EVENTS}/_notify_doorbell.sql",
        "    PERFORM FROM board.doorbells AS d WHERE d.second = _second FOR UPDATE SKIP LOCKED;\n"
        "    IF FOUND THEN",
        "    IF pg_try_advisory_xact_lock('board.task_events'::regclass::oid::int, 1) THEN",
        "tests/test_notify.py::test_nobody_outside_can_hold_the_bell",
    ),
    Mutant(
        "there is one bell, whatever the second",
        f"{EVENTS}/_notify_doorbell.sql",
        "extract(second FROM clock_timestamp())::int % 60",
        "0",
        "tests/test_notify.py::"
        "test_an_agent_that_rings_early_and_stays_open_silences_a_second_at_most",
    ),
    Mutant(
        "a comparison follows a document however deep",
        f"{MODES}/_json_diff.sql",
        "WHERE w.depth < 100 AND length(w.path) <= 1000\n           AND below",
        "WHERE below",
        "sql/tests/modes/test_json_diff.sql",
    ),
    Mutant(
        "whoever works signs",
        "functions/gateway/_actions.sql",
        "('sign', 'sign'),",
        "('sign', 'agent'),",
        "tests/test_request.py::test_signing_is_a_scope_per_key",
    ),
    Mutant(
        "an imported key signs",
        "functions/signing/_sign.sql",
        "AND NOT k.signs) THEN",
        "AND false) THEN",
        "sql/tests/signing",
    ),
    Mutant(
        "a full queue is notified all the same",
        f"{EVENTS}/_notify.sql",
        "IF pg_notification_queue_usage() <= 0.9 THEN",
        "IF true THEN",
        "tests/test_notify.py::test_a_full_queue_fails_no_verb",
    ),
    Mutant(
        "a strike wakes nobody",
        f"{EVENTS}/_notify_wakes_agents.sql",
        "'failed', ",
        "",
        "tests/test_notify.py::test_coalesced_calls_idle_agents_while_another_rings",
    ),
    Mutant(
        "the end of a capped task wakes nobody",
        f"{EVENTS}/_notify_wakes_agents.sql",
        "k.max_in_progress IS NOT NULL",
        "false",
        "tests/test_notify.py::test_coalesced_calls_idle_agents_while_another_rings",
    ),
    Mutant(
        "the announcement carries the payload",
        f"{EVENTS}/_notify_event.sql",
        "'seq', NEW.seq",
        "'seq', NEW.seq, 'payload', NEW.payload",
        "tests/test_notify.py::test_kinds_and_payloads_of_any_sort",
    ),
    Mutant(
        "null is the same as missing",
        f"{MODES}/_json_diff.sql",
        "WHERE below.a IS DISTINCT FROM below.b",
        "WHERE coalesce(below.a, 'null') IS DISTINCT FROM coalesce(below.b, 'null')",
        "sql/tests/modes/test_json_diff.sql",
    ),
    Mutant(
        "an ignored path covers names that begin alike",
        f"{MODES}/_ignored_pattern.sql",
        "')(?:$|[.[])'",
        "')'",
        "sql/tests/modes/test_ignored_paths.sql",
    ),
    Mutant(
        "the plain proportion instead of Wilson's lower end",
        f"{MODES}/_promotion_gate.sql",
        "_low := board._wilson_low(_gate.agreed, _trials);",
        "_low := coalesce(_gate.agreed::numeric / nullif(_trials, 0), 0);",
        "sql/tests/modes/test_gate.sql",
    ),
    Mutant(
        "an explanation makes a divergence an agreement",
        f"{MODES}/_promotion_gate.sql",
        "WHERE c.verdict IN ('matched', 'ignored'))",
        "WHERE c.verdict IN ('matched', 'ignored') OR c.explained_at IS NOT NULL)",
        "sql/tests/modes/test_gate.sql",
    ),
    Mutant(
        "a missing side is nobody's disagreement",
        f"{MODES}/_promotion_gate.sql",
        "_trials := _gate.comparisons + _gate.missing;",
        "_trials := _gate.comparisons;",
        "sql/tests/modes/test_gate.sql",
    ),
    Mutant(
        "comparisons count across configurations",
        f"{MODES}/_promotion_gate.sql",
        "       AND c.mode_since = policy.mode_since;",
        ";",
        "sql/tests/modes/test_gate.sql",
    ),
    Mutant(
        "a changed configuration goes on counting",
        "functions/desk/_configure_kind.sql",
        "_kind.mode_since := greatest(",
        "PERFORM greatest(",
        "sql/tests/modes/test_gate.sql",
    ),
    Mutant(
        "an argument of request() may carry another's name",
        "functions/gateway/_arguments.sql",
        "CONTINUE WHEN _value IS NULL OR _value = to_jsonb(who);",
        "CONTINUE;",
        "sql/tests/gateway/test_request.sql",
    ),
    Mutant(
        "a long name in the arguments is repeated",
        "functions/gateway/_arguments.sql",
        "IF length(_name) > 40 THEN",
        "IF false THEN",
        "tests/test_request.py::test_a_token_shows_nowhere",
    ),
    Mutant(
        "an action is on the list and nobody runs it",
        "functions/gateway/_request_desk.sql",
        "WHEN 'replay' THEN",
        "WHEN 'repeat' THEN",
        "tests/test_request.py::test_every_action_reaches_its_function",
    ),
    Mutant(
        "reset reaches columns that are nobody's to configure",
        "functions/checks/_changed_row.sql",
        "INTERSECT SELECT jsonb_object_keys(changes))",
        "UNION SELECT jsonb_object_keys(changes))",
        "sql/tests/desk/test_configure.sql",
    ),
    Mutant(
        "a second actual replaces the first",
        f"{MODES}/_record_actual.sql",
        "ELSIF _row.actual IS NOT NULL THEN",
        "ELSIF false THEN",
        "sql/tests/modes/test_record.sql",
    ),
    Mutant(
        "an explanation outlives what it was said of",
        f"{MODES}/_store_verdict.sql",
        "explained_at = NULL, explained_by = NULL, explanation = NULL",
        "recorded_at = compared.recorded_at",
        "sql/tests/modes/test_explain.sql",
    ),
    Mutant(
        "promote does not lock the kind",
        f"{MODES}/_promote.sql",
        " FOR NO KEY UPDATE;",
        ";",
        f"{SPEC}[promote-promote]",
    ),
    Mutant(
        "the compared step is not locked",
        f"{MODES}/_comparison_for_update.sql",
        "\n       FOR NO KEY UPDATE;",
        ";",
        f"{SPEC}[decided-actual]",
    ),
    Mutant(
        "the kind is not read again under the lock",
        f"{MODES}/_record_actual.sql",
        "    END LOOP;\n\n    _kind := board._kind_policy(_record_actual.kind);\n",
        "    END LOOP;\n\n",
        f"{SPEC}[decided-actual]",
    ),
    Mutant(
        "shadow sends",
        "functions/calls/_begin_call.sql",
        "    IF _call.mode <> 'live' THEN\n",
        "    IF _call.mode = 'dry_run' THEN\n",
        "tests/test_modes.py::test_shadow_with_a_sandbox_never_calls_the_real_thing",
    ),
    Mutant(
        "dry-run spends the budget",
        "functions/calls/_begin_call.sql",
        "    IF _call.mode <> 'live' THEN\n",
        "    IF _call.mode <> 'live' THEN\n"
        "        PERFORM board._take(_call.provider, _call.account, _call.cost);\n",
        "tests/test_modes.py::test_shadow_with_a_sandbox_never_calls_the_real_thing",
    ),
    Mutant(
        "budgets are locked in any order",
        f"{PROVIDERS}/_budgets_for_update.sql",
        "         ORDER BY l.unit, l.period\n",
        "         ORDER BY random()\n",
        "tests/test_providers.py::test_sixteen_sessions_and_four_limits_in_four_units",
    ),
    Mutant(
        "what comes back comes off the newest sub-window",
        f"{PROVIDERS}/_change_usage.sql",
        "                _counts[_place] := greatest(0, _counts[_place] + _change);\n",
        "                _counts[1] := greatest(0, _counts[1] + _change);\n",
        "tests/test_providers.py::test_three_units_and_settlements_are_exact",
    ),
    Mutant(
        "more than the estimate is not booked",
        f"{PROVIDERS}/_change_usage.sql",
        "        IF _change > 0 THEN\n",
        "        IF _change > 0 AND usage_id IS NULL THEN\n",
        "tests/test_providers.py::test_a_model_under_load",
    ),
    Mutant(
        "what was counted before the clock was put back is given back",
        f"{PROVIDERS}/_change_usage.sql",
        "        ELSIF _change < 0 AND usage_id > _refundable_after THEN\n",
        "        ELSIF _change < 0 THEN\n",
        "tests/test_providers.py::test_settlements_while_the_clock_is_put_back",
    ),
    Mutant(
        "a settlement judges by what it read before the lock",
        f"{PROVIDERS}/_settle_usage.sql",
        " WHERE u.id = usage_id FOR UPDATE;\n",
        " WHERE u.id = usage_id;\n",
        f"{SPEC}[settle-take]",
    ),
    Mutant(
        "one unit without room does not hold back the others",
        f"{PROVIDERS}/_units_free_at.sql",
        "           AND needed ? l.unit\n",
        "           AND l.unit = 'call'\n",
        "sql/tests/providers/test_take.sql",
    ),
    Mutant(
        "anybody gives back",
        f"{PROVIDERS}/_give_back.sql",
        "           AND u.db_user = _caller\n",
        "",
        "sql/tests/providers/test_give_back.sql",
    ),
    Mutant(
        "a limit that is set later counts from now on",
        f"{PROVIDERS}/_open_budget.sql",
        "        IF _passed < 65 THEN\n",
        "        IF false THEN\n",
        "sql/tests/providers/test_limits.sql",
    ),
    Mutant(
        "a key is known for ever",
        "functions/calls/_key_is_known.sql",
        "AND (idempotency_window IS NULL OR",
        "AND (true OR",
        "sql/tests/calls/test_call_units.sql",
    ),
    Mutant(
        "a task may use what it likes",
        "functions/calls/_budget_excess.sql",
        "bigint, 0) > _most THEN\n",
        "bigint, 0) > _most AND false THEN\n",
        "sql/tests/calls/test_usage.sql",
    ),
    Mutant(
        "an exhausted account stands in front of the others",
        f"{TASKS}/_affordable.sql",
        "            PERFORM board._postpone(",
        "            RETURN ARRAY[]::uuid[]; PERFORM board._postpone(",
        "sql/tests/tasks/test_accounts.sql",
    ),
    Mutant(
        "those behind a call that must wait are claimed to be told the same",
        "functions/calls/_begin_call.sql",
        "            IF _call.provider = _kind.provider\n",
        "            IF false AND _call.provider = _kind.provider\n",
        "sql/tests/tasks/test_accounts.sql",
    ),
    Mutant(
        "a kind without tasks is due at once",
        f"{TASKS}/next_due.sql",
        "        CONTINUE WHEN _at IS NULL;\n",
        "",
        "sql/tests/tasks/test_next_due.sql",
    ),
    Mutant(
        "a batch that another sweeper has locked hides the next one",
        "functions/tasks/_promote_due.sql",
        "WHILE _ready < _batch AND",
        "WHILE _from = 1 AND",
        "tests/test_lease.py -k sweeper_that_stays_open",
    ),
    Mutant(
        "claim remembers no long walk",
        "functions/tasks/_remember_walk.sql",
        "IF walked <= 1000 OR",
        "IF true OR",
        "tests/test_plans.py -k walk_the_dead",
    ),
    Mutant(
        "claim believes a memory that nothing is due",
        "functions/tasks/_claim.sql",
        "EXIT WHEN _whole AND _promoted = 0;",
        "EXIT WHEN _promoted = 0;",
        "sql/tests/tasks/test_walk.sql",
    ),
    Mutant(
        "a kind renamed by hand is not noted",
        "functions/rows/_log_update.sql",
        "IF NEW.kind <> OLD.kind THEN",
        "IF false THEN",
        "sql/tests/events/test_log.sql",
    ),
    Mutant(
        "an open transaction counts as one that may have been pruned",
        f"{EVENTS}/_cursor_is_behind.sql",
        "AND pg_visible_in_snapshot(o.xid, board._open_snapshot())",
        "",
        "tests/test_prune_events.py -k stays_open",
    ),
    Mutant(
        "retain_events opens the whole log to DELETE",
        f"{EVENTS}/_append_only.sql",
        "IF OLD.created_at < clock_timestamp()\n"
        "            - (SELECT s.retain_events FROM board.settings AS s) THEN",
        "IF (SELECT s.retain_events FROM board.settings AS s) IS NOT NULL THEN",
        "sql/tests/events/test_log.sql",
    ),
    Mutant(
        "a restored horizon counts in the old cluster's transactions",
        "functions/events/_replace_event_horizon.sql",
        "NEW.pruned_xid := pg_current_xact_id();",
        "",
        "tests/test_prune_events.py -k horizon",
    ),
    Mutant(
        "prune waits for a task that is being replayed",
        "functions/maintenance/_prune.sql",
        "FOR UPDATE SKIP LOCKED",
        "FOR UPDATE",
        "tests/test_prune_events.py -k being_replayed",
    ),
    Mutant(
        "prune does not lock what it drops",
        "functions/maintenance/_prune.sql",
        "\n           FOR UPDATE SKIP LOCKED",
        "",
        "tests/test_prune_events.py -k being_replayed",
    ),
    Mutant(
        "a person's lapse goes to the agents",
        "functions/rows/_expire_task.sql",
        "task.escalated_at IS NOT NULL OR ",
        "",
        "sql/tests/desk/test_human_queue.sql",
    ),
    Mutant(
        "two releases close a cycle from both ends",
        "functions/tasks/_release.sql",
        "        PERFORM board._needs_graph_for_update();\n",
        "",
        f"{SPEC}[needs-release]",
    ),
    Mutant(
        "needs are locked one after the other",
        "functions/needs/_tasks_for_update.sql",
        "FOR NO KEY UPDATE NOWAIT",
        "FOR NO KEY UPDATE",
        f"{SPEC}[needs-order]",
    ),
    Mutant(
        "a need does not know that somebody waits for it",
        "functions/needs/_add_needs.sql",
        "SET dependents = t.dependents + 1",
        "SET dependents = t.dependents",
        "sql/tests/needs/test_needs.sql",
    ),
    Mutant(
        "one need that is met is enough",
        "functions/rows/_meet_needs.sql",
        "t.status <> 'blocked' OR t.unmet_needs > c.needs THEN",
        "t.status <> 'blocked' THEN",
        "sql/tests/needs/test_needs.sql",
    ),
    Mutant(
        "who stood behind a cancelled one is not told where he stands now",
        "functions/rows/_settle_cancelled.sql",
        "    IF FOUND THEN\n",
        "    IF false THEN\n",
        "sql/tests/needs/test_needs.sql",
    ),
    Mutant(
        "cancel in a sequence does not hold the one before",
        "functions/needs/_cancel_scope.sql",
        "n.met_at IS NULL AND n.in_sequence\n         ORDER",
        "false\n         ORDER",
        f"{SPEC}[needs-sequence]",
    ),
    Mutant(
        "a sequence goes on behind the last one, open or not",
        "functions/tasks/_enqueue_waiting.sql",
        "        PERFORM FROM board.tasks AS t"
        " WHERE t.id = _before.id AND t.finished_at IS NOT NULL;\n"
        "        CONTINUE WHEN FOUND;\n",
        "",
        f"{SPEC}[needs-sequence]",
    ),
    Mutant(
        "schedule: due ones are not locked",
        "functions/schedules/_fire_due.sql",
        "\n           FOR UPDATE OF s SKIP LOCKED",
        "",
        "tests/test_schedules.py::test_each_occurrence_gives_one_task",
    ),
    Mutant(
        "schedule: firing waits for another session's firing",
        "functions/schedules/_fire_due.sql",
        "FOR UPDATE OF s SKIP LOCKED",
        "FOR UPDATE OF s",
        f"{SPEC}[fire-due]",
    ),
    Mutant(
        "schedule: other moments begin at the clock's now, wherever it was put",
        "functions/schedules/_schedule.sql",
        "_schedule.starts_at, NULL, greatest(_now, _was.last_at)",
        "_schedule.starts_at, NULL, _now",
        "sql/tests/schedules/test_schedule.sql",
    ),
    Mutant(
        "schedule: what a change of the clock has shown is not done with",
        "functions/schedules/_next_occurrence.sql",
        "_from := greatest(_from, _late);",
        "",
        "tests/test_schedules.py -k cronsim",
    ),
    Mutant(
        "schedule: an occurrence in a gap is reckoned with the offset before it",
        "functions/schedules/_next_occurrence.sql",
        "ELSE board._clock_change(timezone, _early, _late)",
        "ELSE _late",
        "tests/test_schedules.py -k cronsim",
    ),
    Mutant(
        "schedule: both day fields have to match",
        "functions/schedules/_next_cron_time.sql",
        "THEN bits[3] | _weekdays",
        "THEN bits[3] & _weekdays",
        "tests/test_schedules.py -k cronsim",
    ),
    Mutant(
        "schedule: an occurrence is another moment each time it is made",
        "functions/rows/_insert_occurrence.sql",
        "_insert_occurrence.schedule, _insert_occurrence.scheduled_for,\n",
        "_insert_occurrence.schedule, _insert_occurrence.scheduled_for"
        " + make_interval(secs => random() / 1000),\n",
        "sql/tests/schedules/test_fire.sql",
    ),
    Mutant(
        "schedule: claim fires nothing",
        f"{TASKS}/_claim.sql",
        "    PERFORM board._fire_due(100);\n",
        "",
        "sql/tests/schedules/test_claim_fires.sql",
    ),
    Mutant(
        "schedule: the short way of claim does not look at schedules",
        f"{TASKS}/claim.sql",
        "AND p.next_at <= _now\n",
        "AND p.next_at < _due_after\n",
        "sql/tests/schedules/test_claim_fires.sql",
    ),
    Mutant(
        "schedule: next_due does not know of schedules",
        "functions/schedules/_schedule_due.sql",
        "    RETURN _due_at;",
        "    RETURN NULL;",
        "sql/tests/schedules/test_claim_fires.sql",
    ),
    Mutant(
        "a verb waits for the row of a task that is another's",
        "functions/rows/_task_to_end.sql",
        "    IF FOUND THEN\n        IF board._ended_as",
        "    IF false THEN\n        IF board._ended_as",
        f"{SPEC}[not-holder]",
    ),
    Mutant(
        "complete waits for the row of a task that is another's",
        f"{TASKS}/_complete.sql",
        "_locked boolean := false;",
        "_locked boolean := (SELECT true FROM board.tasks AS t WHERE t.id = _complete.id"
        " FOR UPDATE);",
        f"{SPEC}[not-holder]",
    ),
    Mutant(
        "what was said for an attempt is forgotten",
        "functions/rows/_ended_as.sql",
        "IF attempt IS NULL OR ended IS NULL",
        "IF true OR attempt IS NULL OR ended IS NULL",
        "sql/tests/tasks/test_said_again.sql",
    ),
    Mutant(
        "what was brought during a run is lost",
        "functions/rows/_log_update.sql",
        "    IF NEW.replacement IS NOT NULL AND",
        "    IF false AND NEW.replacement IS NOT NULL AND",
        f"{SPEC}[enqueue-replace]",
    ),
    Mutant(
        "replace does not wait for who has the row",
        "functions/rows/_replace_task.sql",
        "WHERE t.id = _replace_task.id FOR UPDATE;",
        "WHERE t.id = _replace_task.id;",
        f"{SPEC}[enqueue-replace]",
    ),
    Mutant(
        "a retry's payload is not in the log",
        "functions/rows/_log_update.sql",
        "OR _type = 'retried' AND",
        "OR false AND",
        "sql/tests/desk/test_retry_answer.sql",
    ),
    Mutant(
        "a delay follows the session's time zone",
        f"{TASKS}/release.sql",
        "SET timezone = 'UTC'\n",
        "",
        "sql/tests/tasks/test_day_intervals.sql",
    ),
    Mutant(
        "an agent name is bound to what the role was called",
        "functions/identity/_acting_agent.sql",
        "SELECT a.role_oid INTO _bound",
        "SELECT to_regrole(quote_ident(a.role)) INTO _bound",
        "sql/tests/identity/test_agents.sql",
    ),
    Mutant(
        "unique_for looks once",
        f"{TASKS}/_enqueue_once.sql",
        "            ELSIF board._finished_since(",
        "            ELSIF true OR board._finished_since(",
        f"{SPEC}[enqueue-replace]",
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
