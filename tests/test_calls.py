"""Outbound calls against a real HTTP server that keeps books, by agents that die."""

from __future__ import annotations

import hashlib
import json
import random
import signal
import subprocess
import sys
import threading
import urllib.error
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb

from tests.support.call_agent import MOMENTS, post
from tests.support.provider import Provider, running
from tests.support.testdb import Connection, TestDb

ROOT = Path(__file__).resolve().parents[1]
AGENT = [sys.executable, "-m", "tests.support.call_agent"]
REQUEST = {"to": "ann", "cents": 1700}


@pytest.fixture
def pay() -> Iterator[Provider]:
    with running(Provider()) as provider:
        yield provider


def known(db: TestDb, provider: Provider, secret: bool = False) -> None:
    """Configure `provider` as "pay"; with a signing key if wanted, whose secret both then know."""
    if secret:
        provider.secret = db.one("SELECT board.create_signing_key('pay-key')")
    db.owner.execute(
        "SELECT board.configure_provider('pay', base_url => %s, honours_idempotency => %s,"
        " signing_key => %s)",
        [provider.url, provider.honours_idempotency, "pay-key" if secret else None],
    )


def enqueued(db: TestDb, kind: str = "charge") -> uuid.UUID:
    return uuid.UUID(str(db.one("SELECT board.enqueue(%s, %s)", kind, Jsonb(REQUEST))))


def call(db: Connection, query: str, *arguments: Any) -> Any:
    with db.cursor(row_factory=namedtuple_row) as cursor:
        return cursor.execute(query.encode(), arguments).fetchone()


def run_agent(db: TestDb, name: str, moment: str = "never") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*AGENT, db.dsn, name, moment],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def die(db: TestDb, pay: Provider, name: str, moment: str) -> None:
    """An agent takes the task and is killed at that moment of its call; its lease lapses."""
    task = db.one("SELECT t.id FROM board.tasks AS t WHERE t.status = 'pending'")
    if moment == "in_request":
        # The provider has done its work and never answers; then the agent is shot from outside.
        pay.silent.set()
        agent = subprocess.Popen([*AGENT, db.dsn, name, "never"], cwd=ROOT, stdout=subprocess.PIPE)
        pay.wait_for_requests(1)
        agent.kill()
        agent.communicate(timeout=20)
        pay.silent.clear()
        ended = agent.returncode
    else:
        ended = run_agent(db, name, moment).returncode
    assert ended == -signal.SIGKILL
    # The server finds out that the client is gone and ends what it had open.
    db.wait_for(
        "SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity AS a"
        " WHERE a.datname = current_database() AND a.pid <> pg_catalog.pg_backend_pid()"
        " AND a.backend_type = 'client backend' AND a.application_name <> 'owner')"
    )
    db.age_lease(task)


# -- the key ---------------------------------------------------------------------------------------


def test_the_key_can_be_computed_by_anybody(board_db: TestDb, tmp_path: Path) -> None:
    dice = random.Random(5)
    letters = [chr(code) for code in (*range(1, 0x250), 0x2028, 0x4E00, 0x1F980)]
    pairs = [
        (str(uuid.UUID(int=dice.getrandbits(128))), "".join(dice.choices(letters, k=length)))
        for length in dice.choices(range(1, 41), k=1000)
    ]
    ours = [
        row[0]
        for row in board_db.rows(
            "SELECT board.idempotency_key(p.id, p.step) FROM"
            " unnest(%s::uuid[], %s::text[]) WITH ORDINALITY AS p (id, step, n) ORDER BY p.n",
            [pair[0] for pair in pairs],
            [pair[1] for pair in pairs],
        )
    ]
    named = [f"{task_id}:{step}".encode() for task_id, step in pairs]
    assert ours == [hashlib.sha256(name).hexdigest() for name in named]

    for number, name in enumerate(named):
        (tmp_path / f"{number:04}").write_bytes(name)
    said = subprocess.run(
        ["sha256sum", *sorted(path.name for path in tmp_path.iterdir())],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ours == [line.split()[0] for line in said.stdout.splitlines()]


# -- the crash matrix ------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_provider_that_honours_keys_charges_once(
    board_db: TestDb, pay: Provider, moment: str
) -> None:
    known(board_db, pay, secret=True)
    task = enqueued(board_db)
    die(board_db, pay, "a", moment)

    second = run_agent(board_db, "b")

    finished = moment == "after_finish"
    assert second.stdout.strip() == ("done" if finished else "send"), second.stderr
    assert pay.effects == [REQUEST]
    sent_before = moment not in ("before_begin", "in_begin", "after_begin")
    assert len(pay.requests) == (1 if finished or not sent_before else 2)
    assert {request.key for request in pay.requests} == {
        hashlib.sha256(f"{task}:charge".encode()).hexdigest()
    }
    assert len({request.body for request in pay.requests}) == 1
    assert board_db.status(task) == "completed"
    assert board_db.one(
        "SELECT c.response FROM board.calls AS c WHERE c.succeeded AND NOT c.late"
    ) == {"charge": "ch_1"}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_provider_that_does_not_is_never_asked_twice_without_a_person(
    board_db: TestDb, pay: Provider, moment: str
) -> None:
    pay.honours_idempotency = False
    known(board_db, pay)
    task = enqueued(board_db)
    die(board_db, pay, "a", moment)
    reached = len(pay.effects)

    second = run_agent(board_db, "b")

    if moment in ("before_begin", "in_begin"):
        assert (second.stdout.strip(), len(pay.requests)) == ("send", 1)
    elif moment == "after_finish":
        assert (second.stdout.strip(), len(pay.requests)) == ("done", 1)
    else:
        assert second.stdout.strip() == "indeterminate", second.stderr
        assert len(pay.requests) == reached
        assert board_db.rows(
            "SELECT t.status, t.escalation_reason, t.last_failure ->> 'step', t.failure_count"
            " FROM board.tasks AS t"
        ) == [("escalated", "indeterminate", "charge", 0)]
        assert "nothing to do" in run_agent(board_db, "c").stdout

        # A person looks into the provider's books, tells what is there, and hands the task back.
        anna = board_db.connect()
        call(anna, "SELECT * FROM board.claim_escalated('anna', id => %s)", task)
        seen = {"charge": "ch_1"} if reached else None
        call(
            anna,
            "SELECT board.finish_call(%s, 'anna', 'charge', %s, %s)",
            task,
            Jsonb(seen),
            reached == 1,
        )
        call(anna, "SELECT board.retry(%s, 'anna')", task)
        third = run_agent(board_db, "c")
        assert third.stdout.strip() == ("done" if reached else "send"), third.stderr
    assert pay.effects == [REQUEST]
    assert board_db.status(task) == "completed"


def test_people_see_why(board_db: TestDb, pay: Provider) -> None:
    pay.honours_idempotency = False
    known(board_db, pay)
    task = enqueued(board_db)
    die(board_db, pay, "a", "after_request")
    run_agent(board_db, "b")

    queued = call(board_db.owner, "SELECT q::text AS line FROM board.human_queue AS q")

    assert str(task) in queued.line
    assert "indeterminate" in queued.line
    assert "charge" in queued.line


# -- at once ---------------------------------------------------------------------------------------

BEGIN = "SELECT * FROM board.begin_call(%s, 'a', 'charge', 'pay', %s)"


def test_the_first_of_two_is_killed(board_db: TestDb, pay: Provider) -> None:
    """SIGKILL on the process that holds the step open: the second goes in its place."""
    pay.honours_idempotency = False
    known(board_db, pay)
    task = enqueued(board_db)
    board_db.owner.execute("SELECT board.claim('a', '1 hour')")
    opens = (
        "import psycopg, sys, time\n"
        "c = psycopg.connect(sys.argv[1], application_name='first')\n"
        "c.execute(\"SELECT board.begin_call(%s, 'a', 'charge', 'pay', '1')\", [sys.argv[2]])\n"
        "print('open', flush=True); time.sleep(60)\n"
    )
    first = subprocess.Popen(
        [sys.executable, "-c", opens, board_db.dsn, str(task)], stdout=subprocess.PIPE
    )
    assert first.stdout is not None
    assert first.stdout.readline().strip() == b"open"

    second = board_db.connect()
    tickets: list[Any] = []
    waiting = threading.Thread(target=lambda: tickets.append(call(second, BEGIN, task, Jsonb(2))))
    waiting.start()
    board_db.wait_until_blocked(second)
    first.kill()
    first.communicate(timeout=20)
    waiting.join(timeout=20)

    assert [(ticket.decision, ticket.body) for ticket in tickets] == [("send", "2")]
    assert board_db.rows("SELECT c.number, c.body FROM board.calls AS c") == [(1, "2")]


def test_many_at_once_charge_once(board_db: TestDb, pay: Provider) -> None:
    """Eight processes with one lease between them: exactly one is told to send."""
    pay.honours_idempotency = False
    known(board_db, pay)
    task = enqueued(board_db)
    board_db.owner.execute("SELECT board.claim('a', '1 hour')")
    sessions = [board_db.connect() for _ in range(8)]
    gate = threading.Barrier(len(sessions))
    decisions: list[str] = []

    def begin(session: Connection) -> None:
        gate.wait()
        decisions.append(call(session, BEGIN, task, Jsonb(1)).decision)

    threads = [threading.Thread(target=begin, args=[session]) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)

    assert sorted(decisions) == ["indeterminate"] * 7 + ["send"]


def test_a_lease_that_lapses_while_the_budget_is_waited_for(
    board_db: TestDb, pay: Provider
) -> None:
    known(board_db, pay)
    board_db.owner.execute("SELECT board.set_limit('pay', '1 hour', 10)")
    task = enqueued(board_db)
    other = enqueued(board_db)
    holder = board_db.connect(autocommit=False)
    holder.execute("SELECT board.claim_task(%s, 'b', '1 hour')", [other])
    holder.commit()
    call(holder, "SELECT * FROM board.begin_call(%s, 'b', 'charge', 'pay')", other)

    late = board_db.connect()
    call(late, "SELECT * FROM board.claim_task(%s, 'a', '500 milliseconds')", task)
    errors: list[psycopg.Error] = []

    def begin() -> None:
        try:
            call(late, BEGIN, task, Jsonb(1))
        except psycopg.Error as error:
            errors.append(error)

    waiting = threading.Thread(target=begin)
    waiting.start()
    board_db.wait_until_blocked(late, by=holder)
    board_db.wait_for(
        "SELECT clock_timestamp() > t.leased_until FROM board.tasks AS t WHERE t.id = %s", task
    )
    holder.commit()
    waiting.join(timeout=20)

    assert [error.sqlstate for error in errors] == ["TB001"]
    assert board_db.rows("SELECT c.task_id FROM board.calls AS c") == [(other,)]
    assert board_db.one("SELECT sum(u.n) FROM board.budgets AS b, unnest(b.counts) AS u (n)") == 1


# -- the signature ---------------------------------------------------------------------------------


REQUESTS: list[Any] = [
    {"zebra": 1, "a": [1.0, 1.50, 1e3, -0.0], "nested": {"b": None, "a": True}},
    {"text": 'quote " backslash \\ slash / tab \t newline \n', "emoji": "🦀 für 東京 \u2028"},
    ["<script>", "\u0001", ""],
    {},
    "only a string",
    None,
]


@pytest.mark.parametrize("request_", REQUESTS, ids=range(len(REQUESTS)))
def test_the_receiver_verifies_what_was_recorded(
    board_db: TestDb, pay: Provider, request_: Any
) -> None:
    known(board_db, pay, secret=True)
    task = enqueued(board_db)
    agent = board_db.connect()
    call(agent, "SELECT * FROM board.claim('a')")
    ticket = call(agent, BEGIN, task, Jsonb(request_))

    assert post(ticket.url, ticket.body, ticket.headers) == {"charge": "ch_1"}
    assert pay.effects == [request_]
    recorded = board_db.one("SELECT c.body FROM board.calls AS c")
    assert recorded.encode() == pay.requests[0].body
    assert json.loads(recorded) == request_
    assert ticket.headers["webhook-id"] == ticket.idempotency_key

    # A byte more, and it is refused.
    with pytest.raises(urllib.error.HTTPError, match="401"):
        post(ticket.url, ticket.body + " ", ticket.headers)


def test_both_keys_sign_during_a_rotation(board_db: TestDb, pay: Provider) -> None:
    known(board_db, pay, secret=True)
    old = pay.secret
    new = board_db.one("SELECT board.rotate_signing_key('pay-key', '1 hour')")
    assert new != old
    for secret in (old, new):
        pay.secret = secret
        enqueued(board_db)
        done = run_agent(board_db, "a")
        assert done.stdout.strip() == "send", done.stderr
    assert len(pay.effects) == 2


# -- modes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["dry_run", "shadow"])
def test_rehearsals_never_reach_the_provider(board_db: TestDb, pay: Provider, mode: str) -> None:
    known(board_db, pay, secret=True)
    with running(Provider(secret=pay.secret)) as sandbox:
        if mode == "shadow":
            board_db.owner.execute(
                "SELECT board.configure_provider('pay', sandbox_url => %s)", [sandbox.url]
            )
        task = enqueued(board_db)
        board_db.owner.execute("SELECT board.configure_kind('charge', mode => %s)", [mode])
        agent = board_db.connect()
        call(agent, "SELECT * FROM board.claim('a', '1 hour')")
        ticket = call(agent, BEGIN, task, Jsonb(REQUEST))
        if mode == "shadow":
            assert ticket.decision == "sandbox"
            assert ticket.url == sandbox.url
            assert post(ticket.url, ticket.body, ticket.headers) == {"charge": "ch_1"}
        else:
            assert (ticket.decision, ticket.url, ticket.headers) == ("suppress", None, None)
        board_db.owner.execute("UPDATE board.kinds SET mode = 'live'")
        live = call(agent, BEGIN, task, Jsonb(REQUEST))
        assert (live.decision, live.idempotency_key) == ("send", ticket.idempotency_key)
        assert pay.requests == []
        assert len(sandbox.requests) == (1 if mode == "shadow" else 0)
