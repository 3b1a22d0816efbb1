"""The benchmarks' own arithmetic, and how they read what others print. Nothing is measured here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.bench import pgbench, report, stats
from tests.bench.peers import with_values
from tests.bench.queues import OWN, for_psycopg
from tests.bench.targets import TARGETS, Target, lookup, outcomes

PRINTED = """\
transaction type: /tmp/x.sql
scaling factor: 1
query mode: prepared
number of clients: 8
number of threads: 2
duration: 3 s
number of transactions actually processed: 4321
number of failed transactions: 0 (0.000%)
latency average = 5.432 ms
initial connection time = 12.345 ms
tps = 1440.123456 (without initial connection time)
"""
PROGRESS = """\
pgbench: some notice
progress: 1.0 s, 900.0 tps, lat 8.100 ms stddev 2.000, 0 failed
progress: 2.0 s, 1500.0 tps, lat 5.100 ms stddev 2.000, 0 failed
progress: 3.0 s, 1700.5 tps, lat 5.000 ms stddev 2.000, 0 failed
"""


def test_every_other_round_runs_backwards() -> None:
    assert [stats.turn("abc", number) for number in range(3)] == [
        ["a", "b", "c"],
        ["c", "b", "a"],
        ["a", "b", "c"],
    ]


def test_a_ratio_is_the_median_of_the_rounds_and_not_the_ratio_of_the_medians() -> None:
    samples = {"one": [10.0, 90.0, 30.0], "base": [10.0, 100.0, 20.0]}
    assert stats.ratio(samples, "one", "base") == 1.0
    assert stats.spread(samples, "one", "base") == (0.9, 1.5)


def test_a_ratio_of_what_was_not_measured_is_none() -> None:
    assert stats.ratio({"base": [1.0]}, "one", "base") is None
    assert stats.ratio({"one": [1.0], "base": [0.0]}, "one", "base") is None
    assert stats.middle([]) is None


def test_the_ends_of_a_course() -> None:
    assert stats.ends([10, 20, 30, 40, 50], 2) == (15, 45)
    with pytest.raises(ValueError, match="3 seconds are too few"):
        stats.ends([1, 2, 3], 2)


def test_pgbench_output_without_the_warm_up() -> None:
    found = pgbench.parse(PRINTED, PROGRESS)
    assert found == pgbench.Slice(1600.25, 4321, 5.432, (900.0, 1500.0, 1700.5))


def test_pgbench_output_of_a_counted_slice() -> None:
    assert pgbench.parse(PRINTED, "").per_second == pytest.approx(1440.123456)


def test_failed_transactions_and_unknown_output_are_errors() -> None:
    failed = PRINTED.replace("failed transactions: 0", "failed transactions: 3")
    with pytest.raises(pgbench.PgbenchError, match="3 transactions failed"):
        pgbench.parse(failed, PROGRESS)
    with pytest.raises(pgbench.PgbenchError, match="something unknown"):
        pgbench.parse("", "")


def test_variables_of_pgbench_become_parameters_of_psycopg() -> None:
    statement = "SELECT f(:task::uuid, ':other', 'a%', :client_id + 1) -- :task\n;"
    assert (
        for_psycopg(statement, {"task", "client_id"})
        == "SELECT f(%(task)s::uuid, ':other', 'a%%', %(client_id)s + 1) -- %(task)s\n"
    )


def test_values_take_the_place_of_parameters() -> None:
    statement = "SELECT $1::text, $2, $12, '$' || $1"
    assert (
        with_values(statement, {1: "'a'", 2: "ARRAY[:id]", 12: "NULL"})
        == "SELECT 'a'::text, ARRAY[:id], NULL, '$' || 'a'"
    )
    with pytest.raises(KeyError):
        with_values("SELECT $3", {1: "x"})


def test_a_script_is_one_job() -> None:
    for queue in OWN:
        assert queue.script.count("\\gset\n") == 1
        assert queue.script.endswith(";\n")
        assert ":task" in queue.finish


def test_how_far_a_target_is_missed() -> None:
    least = Target("x", "", 0.8)
    most = replace(least, limit=1.6, sense="at most")
    assert [least.missed_by(value) for value in (0.8, 2.0)] == [0, 0]
    assert least.missed_by(0.6) == pytest.approx(0.25)
    assert [most.missed_by(value) for value in (1.6, 0.1)] == [0, 0]
    assert most.missed_by(2.0) == pytest.approx(0.25)


def test_targets_find_their_figures() -> None:
    assert len({target.path for target in TARGETS}) == len(TARGETS)
    results = {"jobs": {"ratios": {"1": {"board_off": 0.72}, "8": {"board_off": 0.4}}}}
    told = {one.text: one for one in outcomes(results)}
    assert told["notify off against the floor, at 1"].word == "reached, not the aim"
    assert told["notify off against the floor, at 8"].word == "**missed by 38%**"
    assert told["notify off against the floor, at 32"].word == "not measured"
    assert lookup(results, "jobs.ratios.1.nothing.there") is None


def sample_results() -> dict[str, Any]:
    results: dict[str, Any] = {
        "when": "2030-01-01T00:00:00+00:00", "size": "tiny", "minutes": 1,
        "server": "PostgreSQL 99",
        "machine": {
            "processor": "an abacus", "cores": 2, "memory_gib": 1, "system": "wood",
            "file_system": "beads", "fsyncs_per_second": 1000, "load_before": 0.5,
            "busy_before": None,
        },
        "problems": {"flat": "ValueError: round"},
        "held": {
            "seconds": 4, "part": 2, "clients": 8, "labels": {"floor": "the floor"},
            "course": {"floor": [10.0, 10.0, 5.0, 5.0]}, "last_against_first": {"floor": 0.5},
        },
    }  # fmt: skip
    results["targets"] = [one.told() for one in outcomes(results)]
    return results


def test_a_report_says_the_machine_the_load_and_what_failed() -> None:
    text = report.report(sample_results())
    assert "an abacus, 2 cores" in text
    assert "Load average before the run 0.5" in text
    assert "1,000 fsyncs a second" in text
    assert "| the floor | 10 | 5 | 0.50 |" in text
    assert "**flat failed:** ValueError: round" in text


def test_the_page_has_a_place_for_the_figures_and_keeps_the_rest() -> None:
    page = report.PAGE.read_text()
    once = report.replaced(page, "first")
    again = report.replaced(once, "second")
    assert "second" in again
    assert "first" not in again
    before = page.partition(report.BEGIN)[0]
    assert len(before) > 500
    assert again.startswith(before)
    with pytest.raises(ValueError, match="lacks the marks"):
        report.replaced("no marks", "x")
