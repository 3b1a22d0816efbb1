"""From dry-run to live, end to end: real tasks, a real HTTP server that counts, many sessions."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb

from tests.support.provider import Provider, running
from tests.support.testdb import TestDb
from tests.support.workers import crew

ROOT = Path(__file__).resolve().parents[1]
TASKS = 500
AGENTS = 4


@pytest.fixture
def pay() -> Iterator[Provider]:
    with running(Provider()) as provider:
        yield provider


def payload(number: int) -> dict[str, Any]:
    """What has to survive byte for byte: numbers as they are written, escapes, any letter."""
    return {"to": f'Ünal \\ "{number}" 🙂', "cents": number, "rate": 1.50, "lines": [{}, None]}


def configured(db: TestDb, pay: Provider, sandbox: Provider | None = None) -> None:
    """Kind "charge" in dry_run, with a signed provider whose budget is almost nothing."""
    secret = db.one("SELECT board.create_signing_key('pay-key')")
    for provider in (pay, sandbox):
        if provider is not None:
            provider.secret = secret
    db.owner.execute("SELECT board.promote('charge', 'dry_run', 'ana')")
    db.owner.execute(
        "SELECT board.configure_provider('pay', base_url => %s, sandbox_url => %s,"
        " honours_idempotency => true, signing_key => 'pay-key')",
        [pay.url, sandbox.url if sandbox else None],
    )
    db.owner.execute("SELECT board.set_limit('pay', '1 hour', 10)")
    db.owner.execute("SELECT board.configure_kind('charge', provider => 'pay')")


def enqueue(db: TestDb, number: int) -> None:
    db.owner.execute(
        "SELECT board.enqueue('charge', p.payload, correlation_id => p.payload ->> 'cents')"
        " FROM unnest(%s::jsonb[]) AS p (payload)",
        [[Jsonb(payload(n)) for n in range(number)]],
    )


def charge(db: psycopg.Connection[Any], name: str, task: Any) -> str:
    """Make the call of a task, if the board says so, and complete it. Returns the decision."""
    mine = [task.id, name]
    ticket: Any = db.execute(
        "SELECT * FROM board.begin_call(%s, %s, 'charge', request => %s)",
        [*mine, Jsonb(task.payload)],
    ).fetchone()
    if ticket.url is not None:
        request = urllib.request.Request(ticket.url, ticket.body.encode(), ticket.headers)
        with urllib.request.urlopen(request, timeout=20) as reply:
            answer = json.load(reply)
        db.execute("SELECT board.finish_call(%s, %s, 'charge', %s)", [*mine, Jsonb(answer)])
    if ticket.decision != "wait":
        db.execute("SELECT board.complete(%s, %s)", mine)
    return str(ticket.decision)


def work(dsn: str, name: str) -> list[str]:
    """An agent: takes tasks until there are none; sends whenever it is told to. Its decisions."""
    claim = "SELECT * FROM board.claim(%s, '1 hour')"
    decisions = []
    with psycopg.connect(dsn, autocommit=True, row_factory=namedtuple_row) as db:
        while (task := db.execute(claim, [name]).fetchone()) is not None:
            decisions.append(charge(db, name, task))
    return decisions


def run_agents(db: TestDb) -> list[str]:
    """The decisions of all agents together."""
    with crew(work, [(db.dsn, f"agent-{n}") for n in range(AGENTS)]) as agents:
        return [decision for decisions in agents.results() for decision in decisions]


def replay_all(db: TestDb) -> None:
    db.owner.execute("SELECT board.replay(t.id, 'ana') FROM board.tasks AS t")


def bodies(db: TestDb, mode: str) -> dict[str, str]:
    return dict(
        db.rows("SELECT c.idempotency_key, c.body FROM board.calls AS c WHERE c.mode = %s", mode)
    )


# -- nothing is sent -------------------------------------------------------------------------------


@pytest.mark.slow
def test_dry_run_and_shadow_send_nothing_and_spend_nothing(board_db: TestDb, pay: Provider) -> None:
    configured(board_db, pay)
    enqueue(board_db, TASKS)

    assert run_agents(board_db) == ["suppress"] * TASKS
    dry = bodies(board_db, "dry_run")

    board_db.owner.execute("SELECT board.promote('charge', 'shadow', 'ana')")
    replay_all(board_db)
    assert run_agents(board_db) == ["suppress"] * TASKS
    shadow = bodies(board_db, "shadow")

    # Not one request, of 1,000 runs; not one call of a budget of ten; nothing that a live run
    # would take for a call of its own.
    assert pay.requests == []
    assert board_db.one("SELECT count(*) FROM board.budgets") == 0
    assert bodies(board_db, "live") == {}
    assert board_db.one("SELECT sum(b.used) FROM board.provider_budgets AS b") == 0

    # What would have been sent is on record, and is what was decided.
    assert len(dry) == TASKS
    assert shadow == dry
    assert sorted(json.loads(body)["cents"] for body in dry.values()) == list(range(TASKS))
    assert all(json.loads(body) == payload(json.loads(body)["cents"]) for body in dry.values())
    assert (
        board_db.one(
            "SELECT count(*) FROM board.comparisons AS c WHERE"
            " c.decided ->> 'cents' = c.correlation_id AND c.verdict = 'missing' AND c.counts"
        )
        == TASKS
    )

    # The live run of the same tasks sends, with the same keys, byte for byte what was on record.
    board_db.owner.execute("SELECT board.drop_limit('pay', '1 hour')")
    board_db.owner.execute("SELECT board.promote('charge', 'live', 'ana', 'a test')")
    replay_all(board_db)
    assert run_agents(board_db) == ["send"] * TASKS
    assert len(pay.requests) == TASKS
    assert {request.key: request.body.decode() for request in pay.requests} == dry
    assert len(pay.effects) == TASKS, "and every one was verified and took effect"


def test_shadow_with_a_sandbox_never_calls_the_real_thing(board_db: TestDb, pay: Provider) -> None:
    number = 40
    with running(Provider()) as sandbox:
        configured(board_db, pay, sandbox)
        enqueue(board_db, number)
        assert run_agents(board_db) == ["suppress"] * number, "dry_run has no sandbox"
        assert sandbox.requests == []

        board_db.owner.execute("SELECT board.promote('charge', 'shadow', 'ana')")
        replay_all(board_db)
        assert run_agents(board_db) == ["sandbox"] * number

        keys = {
            row[0]
            for row in board_db.rows(
                "SELECT board.idempotency_key(t.id, 'charge') FROM board.tasks AS t"
            )
        }
        assert pay.requests == []
        assert len(sandbox.requests) == number
        assert {request.key for request in sandbox.requests} == keys, "the same keys as live"
        assert len(sandbox.effects) == number, "signed, and verified by the library"
        assert board_db.one("SELECT count(*) FROM board.budgets") == 0

        # What the sandbox answered is no outcome for the real call.
        board_db.owner.execute("SELECT board.drop_limit('pay', '1 hour')")
        board_db.owner.execute("SELECT board.promote('charge', 'live', 'ana', 'a test')")
        replay_all(board_db)
        assert run_agents(board_db) == ["send"] * number
        assert {request.key for request in pay.requests} == keys
        assert len(pay.effects) == number
        assert len(sandbox.requests) == number


# -- the difference --------------------------------------------------------------------------------

NAMES = ("a", "b", "a b", "*", "", "x.y", "[0]", 'q"', "é", "null")


def document(dice: random.Random, depth: int = 4) -> Any:
    match dice.randint(0, 9) if depth else dice.randint(0, 4):
        case 0:
            return None
        case 1:
            return dice.choice([True, False])
        case 2:
            return dice.choice(["", "1", "a", "null"])
        case 3 | 4:
            return dice.choice([0, 1, 1.0, -2.5])
        case 5 | 6:
            return [document(dice, depth - 1) for _ in range(dice.randint(0, 4))]
        case _:
            names = dice.sample(NAMES, dice.randint(0, 4))
            return {name: document(dice, depth - 1) for name in names}


def changed(dice: random.Random, value: Any) -> Any:
    """The same document with a few places changed."""
    if dice.random() < 0.08:
        return document(dice, 2)
    if isinstance(value, list):
        some = [changed(dice, one) for one in value]
        return some[: dice.randint(0, len(some))] if dice.random() < 0.1 else some
    if isinstance(value, dict):
        kept = [name for name in value if dice.random() > 0.05]
        dice.shuffle(kept)
        return {name: changed(dice, value[name]) for name in kept}
    return value


def differences(a: Any, b: Any, path: str = "$") -> Iterator[str]:
    """The same rule said in another language."""
    if isinstance(a, dict) and isinstance(b, dict):
        for name in {**a, **b}:
            bare = re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name)
            below = f"{path}.{name if bare else json.dumps(name, ensure_ascii=False)}"
            if name in a and name in b:
                yield from differences(a[name], b[name], below)
            else:
                yield below
    elif isinstance(a, list) and isinstance(b, list):
        for n in range(max(len(a), len(b))):
            if n < len(a) and n < len(b):
                yield from differences(a[n], b[n], f"{path}[{n}]")
            else:
                yield f"{path}[{n}]"
    elif isinstance(a, bool) != isinstance(b, bool) or a != b:
        yield path


def test_the_difference_of_two_thousand_documents(board_db: TestDb) -> None:
    dice = random.Random(6)
    firsts = [document(dice) for _ in range(2000)]
    seconds = [changed(dice, first) for first in firsts]
    found = board_db.rows(
        "SELECT board._json_diff(p.a, p.b), board._json_diff(p.b, p.a)"
        " FROM unnest(%s::jsonb[], %s::jsonb[]) WITH ORDINALITY AS p (a, b, n) ORDER BY p.n",
        [Jsonb(first) for first in firsts],
        [Jsonb(second) for second in seconds],
    )
    for first, second, (there, back) in zip(firsts, seconds, found, strict=True):
        assert sorted(there) == sorted(differences(first, second)), (first, second)
        assert there == back
    assert sum(len(there) > 1 for there, _ in found) > 150
    assert sum(there == [] for there, _ in found) > 300


# -- many at once ----------------------------------------------------------------------------------


def report(dsn: str, side: str, number: int) -> list[str]:
    """One of the automations, working through the events 0, 1, ... as fast as it can."""
    verdicts = []
    with psycopg.connect(dsn, autocommit=True) as db:
        for n in range(number):
            if side == "actual":
                query = "SELECT board.record_actual('charge', %s, 'charge', %s)"
                arguments: list[Any] = [str(n), Jsonb(payload(n))]
            else:
                query = (
                    "SELECT board.record_decision(t.id, 'A', 'charge', %s) FROM board.tasks AS t"
                    " WHERE t.correlation_id = %s"
                )
                arguments = [Jsonb(payload(n)), str(n)]
            verdicts += [row[0] for row in db.execute(query.encode(), arguments)]
    return verdicts


def test_both_sides_at_once_make_one_comparison_each(board_db: TestDb) -> None:
    number = 300
    board_db.owner.execute("SELECT board.promote('charge', 'shadow', 'ana')")
    enqueue(board_db, number)
    board_db.owner.execute("SELECT board.claim('A', '1 hour', max_tasks => %s)", [number])
    sides = ["decision", "actual", "decision", "actual"]
    with crew(report, [(board_db.dsn, side, number) for side in sides]) as automations:
        verdicts = [verdict for said in automations.results() for verdict in said]
    # Of four records of each event the first is told that a side is missing (and so is a second
    # one of the same side, if it comes before the other side); everybody else sees both.
    assert len(verdicts) == 4 * number
    assert set(verdicts) == {"missing", "matched"}
    assert board_db.rows(
        "SELECT c.verdict, count(*), count(c.decided), count(c.actual)"
        " FROM board.comparisons AS c GROUP BY c.verdict"
    ) == [("matched", number, number, number)]
    assert board_db.one("SELECT count(*) FROM board.comparison_evidence") == 0


def promote(dsn: str, actor: str) -> str:
    with psycopg.connect(dsn, autocommit=True) as db:
        row = db.execute(
            "SELECT board.promote('charge', 'live', %s, 'all at once')", [actor]
        ).fetchone()
    return str(row[0]) if row else ""


def test_eight_people_promoting_at_once_make_one_event(board_db: TestDb) -> None:
    board_db.owner.execute("SELECT board.promote('charge', 'shadow', 'ana')")
    with crew(promote, [(board_db.dsn, f"person-{n}") for n in range(8)]) as people:
        assert people.results() == ["live"] * 8
    assert (
        board_db.one(
            "SELECT count(*) FROM board.audit_log AS a WHERE a.action = 'promote'"
            " AND a.detail ->> 'to' = 'live'"
        )
        == 1
    )


# -- people ----------------------------------------------------------------------------------------


def test_people_see_and_do_what_their_role_allows(board_db: TestDb) -> None:
    """A viewer reads the differences in words, whatever the documents look like."""
    board_db.owner.execute("SELECT board.promote('charge', 'shadow', 'ana')")
    name = "k" * 1200
    differences = {
        "plain": ('{"fee": 1}', '{"fee": 2}', "$.fee: decided 1, actual 2"),
        "odd": (
            '{"a \\"b\\"": {"*": [1]}}',
            '{"a \\"b\\"": {"*": [2]}}',
            '$."a \\"b\\""."*"[0]: decided 1, actual 2',
        ),
        "long": (
            json.dumps({name: 1}),
            json.dumps({name: 2}),
            "$." + "k" * 78 + ": decided (too deep), actual (too deep)",
        ),
        "wide": (
            json.dumps(list(range(100))),
            json.dumps([-1] * 100),
            "".join(f"$[{n}]: decided {n}, actual -1\n" for n in range(10)) + "and 90 more",
        ),
    }
    agent = board_db.connect(role="board_agent")
    for event, (decided, actual, _) in differences.items():
        agent.execute("SELECT board.record_actual('charge', %s, 'fee', %s)", [event, actual])
        agent.execute("SELECT board.enqueue('charge', correlation_id => %s)", [event])
        agent.execute(
            "SELECT board.record_decision(t.id, 'A', 'fee', %s) FROM board.claim('A') AS t",
            [decided],
        )
    viewer = board_db.connect(role="board_viewer")
    seen: dict[str, str] = dict(
        viewer.execute("SELECT d.correlation_id, d.differences FROM board.divergences AS d")
    )
    assert seen == {event: words for event, (_, _, words) in differences.items()}
    assert viewer.execute("SELECT count(*) FROM board.comparisons").fetchone() == (4,)
    report = viewer.execute("SELECT unmet FROM board.promotion_report('charge')").fetchone()
    assert report is not None
    assert "4 unexplained divergences" in report[0]

    for who, query in (
        (viewer, "SELECT board.record_actual('charge', 'x', 'fee', '1')"),
        (agent, "SELECT board.explain_divergence('charge', 'plain', 'fee', 'A', 'I know better')"),
        (agent, "SELECT board.promote('charge', 'live', 'A', 'let me out')"),
        (agent, "SELECT board.configure_kind('charge', min_agreement => 0)"),
        (agent, "UPDATE board.kinds SET mode = 'live'"),
        (viewer, "SELECT * FROM board.compared_steps"),
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            who.execute(query.encode())
    operator = board_db.connect(role="board_operator")
    operator.execute("SELECT board.explain_divergence('charge', 'plain', 'fee', 'ana', 'known')")
    operator.execute("SELECT board.promote('charge', 'live', 'ana', 'the rest is known, too')")
    assert board_db.rows(
        "SELECT a.action, a.actor, a.db_user FROM board.audit_log AS a ORDER BY a.seq DESC LIMIT 2"
    ) == [("promote", "ana", "board_operator"), ("explain_divergence", "ana", "board_operator")]


def test_the_gate_reads_the_present_era_only(board_db: TestDb) -> None:
    """Its cost does not grow with what was compared before, or with other kinds."""
    board_db.owner.execute("SELECT board.promote('charge', 'shadow', 'ana')")
    board_db.owner.execute(
        "INSERT INTO board.compared_steps (kind, correlation_id, step, verdict, mode, mode_since,"
        " recorded_at, decided, decided_at, actual, actual_at)"
        " SELECT v.kind, n, 'fee', 'matched', 'shadow', v.era, v.era, '1', v.era, '1', v.era"
        "   FROM generate_series(1, 100000) AS n CROSS JOIN LATERAL (VALUES"
        "        ('charge', '2020-01-01'::timestamptz), ('other', '2020-01-01')) AS v (kind, era)"
    )
    board_db.owner.execute("VACUUM ANALYZE board.compared_steps")

    def buffers() -> int:
        plan = "\n".join(
            row[0]
            for row in board_db.rows(
                "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) SELECT board.promotion_report('charge')"
            )
        )
        found = re.search(r"Buffers: shared hit=(\d+)(?: read=(\d+))?", plan)
        assert found is not None, plan
        return int(found[1]) + int(found[2] or 0)

    buffers()  # catalogs, plans
    assert buffers() < 50


# -- the example -----------------------------------------------------------------------------------


def test_the_example_tells_what_its_readme_says(board_db: TestDb) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "examples.shadow_migration", board_db.dsn],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    readme = (ROOT / "examples/shadow_migration/README.md").read_text()
    shown = re.search(r"```text\n(.*?)```", readme, re.DOTALL)
    assert shown is not None
    assert told.stdout == shown[1]
    # Every invoice was answered once; those of the last act by the rewrite, under keys of its own.
    assert told.stdout.splitlines()[-1] == "120 invoices, 120 mails"
    assert board_db.rows(
        "SELECT c.mode, c.decision, count(*) FROM board.calls AS c GROUP BY 1, 2 ORDER BY 1"
    ) == [("dry_run", "suppress", 20), ("live", "send", 20), ("shadow", "suppress", 80)]
