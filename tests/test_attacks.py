"""Attacks on the board, as a role of the database and over request() with a token.

docs/security.md lists what was tried and which test holds it; those that belong to one wing are in
that wing's tests.
"""

from __future__ import annotations

import time
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support import privileges
from tests.support.testdb import Connection, TestDb

# 150 kB of numbers that print as 2 GB, and 101 levels.
WIDE = "[" + ", ".join(["1e131071"] * 15000) + "]"
DEEP = "[" * 101 + "]" * 101
# In SQL, so that nobody here has to print it: 2 GB.
POISON: LiteralString = "(SELECT jsonb_agg('1e131071'::jsonb) FROM generate_series(1, 15000))"

# Every JSON argument that the board keeps and hands to others: (verb, argument, its other ones).
KEPT: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("enqueue", "payload", {"kind": "work"}),
    ("enqueue_many", "payloads", {"kind": "work"}),
    ("heartbeat", "progress", {"id": "TASK"}),
    ("complete", "result", {"id": "TASK"}),
    ("fail", "payload", {"id": "TASK"}),
    ("escalate", "payload", {"id": "TASK"}),
    ("retry", "note", {"id": "TASK"}),
    ("retry", "payload", {"id": "TASK"}),
    ("cancel", "note", {"id": "TASK"}),
    ("begin_call", "request", {"task_id": "TASK", "step": "s", "provider": "p"}),
    ("finish_call", "response", {"task_id": "TASK", "step": "s"}),
    ("record_decision", "decision", {"task_id": "TASK", "step": "s"}),
    ("record_actual", "actual", {"kind": "work", "correlation_id": "c", "step": "s"}),
    (
        "schedule",
        "payload",
        {"name": "n", "cron": "0 7 * * *", "kind": "work"},
    ),
)
# Looked at and not kept, or checked member by member.
NOT_KEPT = {
    ("verify", "headers"),
    ("request", "arguments"),
    ("configure_kind", "task_budget"),
    ("enqueue_plan", "tasks"),
    ("set_task_budget", "units"),
    ("give_back", "units"),
    ("take", "units"),
    ("begin_call", "units"),
    ("finish_call", "used"),
}


def test_every_json_argument_is_on_one_of_the_lists(board_db: TestDb) -> None:
    """A new verb that takes JSON says whether it keeps it, and is attacked here if it does."""
    public = frozenset[str]().union(*privileges.FUNCTIONS.values())
    found = {
        (name, argument)
        for name, argument in board_db.rows(
            "SELECT p.proname, a.name"
            "  FROM pg_proc AS p"
            " CROSS JOIN LATERAL unnest(p.proargnames, p.proargtypes::oid[]) AS a (name, type)"
            " WHERE p.pronamespace = 'board'::regnamespace"
            "   AND a.type IN ('jsonb'::regtype, 'jsonb[]'::regtype)"
        )
        if name in public and not name.startswith("_")
    }
    assert found == {(verb, argument) for verb, argument, _ in KEPT} | NOT_KEPT


def held(database: TestDb) -> str:
    """A task in the hands of agent A."""
    database.owner.execute("SELECT board.configure_provider('p', 'https://p.test')")
    database.owner.execute("SELECT board.enqueue('work', correlation_id => 'c')")
    return str(database.one("SELECT t.id FROM board.claim('A') AS t"))


@pytest.mark.parametrize(("value", "said"), [(WIDE, "prints as"), (DEEP, "is nested more than")])
@pytest.mark.parametrize(("verb", "argument", "rest"), KEPT, ids=[f"{v}.{a}" for v, a, _ in KEPT])
def test_no_value_comes_in_that_cannot_go_out(
    board_db: TestDb, verb: str, argument: str, rest: dict[str, Any], value: str, said: str
) -> None:
    """As a role and over HTTP: 22023 naming the argument, at once, and nothing is changed."""
    task_id = held(board_db)
    arguments = {name: task_id if what == "TASK" else what for name, what in rest.items()}
    before = board_db.one("SELECT max(e.seq) FROM board.task_events AS e")
    many = argument == "payloads"
    who = "actor" if verb in ("retry", "cancel", "schedule") else "agent"
    names = {**arguments, argument: f"{{{_quoted(value)}}}" if many else value}
    if verb not in ("enqueue", "enqueue_many", "record_actual"):
        names[who] = "A"
    role = board_db.connect(role="board_admin")
    call = ", ".join(f"{name} => %s" for name in names)
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        role.execute(f"SELECT board.{verb}({call})".encode(), list(names.values()))
    assert f'"{argument}" {said}' in str(refused.value.diag.message_detail)

    token = board_db.one("SELECT board.issue_token('A', '{operator}', '1 hour')")
    gateway = board_db.connect(role="board_gateway")
    began = time.monotonic()
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        gateway.execute(
            "SELECT board.request(%s, %s, %s::jsonb || jsonb_build_object(%s::text, %s::jsonb))",
            (token, verb, Jsonb(arguments), argument, f"[{value}]" if many else value),
        )
    assert f'"{argument}" {said}' in str(refused.value.diag.message_detail)
    # Printed, it would take longer than this by itself.
    assert time.monotonic() - began < 10
    assert board_db.one("SELECT max(e.seq) FROM board.task_events AS e") == before


def _quoted(value: str) -> str:
    return '"' + value + '"'


# -- what is there already -------------------------------------------------------------------------


@pytest.fixture
def poisoned(board_db: TestDb) -> list[str]:
    """Five tasks; the first and the third were restored with a payload that nobody can be sent."""
    board_db.owner.execute("SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[5]))")
    ids = [str(row[0]) for row in board_db.rows("SELECT t.id FROM board.tasks AS t ORDER BY t.id")]
    changed = board_db.silently(
        "UPDATE board.tasks AS t SET payload = " + POISON + " WHERE t.id = ANY (%s::uuid[])",
        [ids[0], ids[2]],
    )
    assert changed == 2
    return ids


CLAIMS: dict[str, LiteralString] = {
    "one": "SELECT c.id::text FROM board.claim('A') AS c",
    "one of a kind": "SELECT c.id::text FROM board.claim('A', kinds => '{work}') AS c",
    "several": "SELECT c.id::text FROM board.claim('A', max_tasks => 3) AS c",
    "several of kinds": "SELECT c.id::text FROM board.claim('A', kinds => '{work,x}',"
    " max_tasks => 2) AS c",
}


@pytest.mark.parametrize("how", CLAIMS)
def test_claim_steps_over_what_it_cannot_return(
    board_db: TestDb, poisoned: list[str], how: str
) -> None:
    """Its own task is what a poisoned value costs: the others are worked, a person gets it."""
    agent = board_db.connect(role="board_agent")
    got: list[str] = []
    for _ in range(6):
        rows = agent.execute(CLAIMS[how]).fetchall()
        got += [row[0] for row in rows]
        if not rows:
            break
    assert got == [poisoned[1], poisoned[3], poisoned[4]]
    viewer = board_db.connect(role="board_viewer")
    seen = viewer.execute(
        "SELECT h.id::text, h.reason, h.last_failure FROM board.human_queue AS h ORDER BY h.id"
    ).fetchall()
    assert [row[:2] for row in seen] == [(one, "unreadable") for one in (poisoned[0], poisoned[2])]
    assert all("a JSON value of this task" in row[2] for row in seen)
    told = [row[0] for row in viewer.execute("SELECT h.what FROM board.history AS h").fetchall()]
    assert sum("brought it to the human queue: a JSON value" in what for what in told) == 2


def test_people_are_not_stopped_by_it_either(board_db: TestDb, poisoned: list[str]) -> None:
    board_db.owner.execute(
        "SELECT board.escalate(c.id, 'A') FROM board.claim('A', max_tasks => 3) AS c"
    )
    operator = board_db.connect(role="board_operator")
    rows = operator.execute("SELECT c.id::text FROM board.claim_escalated('olga') AS c")
    assert rows.fetchall()[0][0] in poisoned[1:5:2] + poisoned[4:]
    with pytest.raises(psycopg.DatabaseError) as refused:
        operator.execute("SELECT board.claim_escalated('olga', id => %s)", (poisoned[0],))
    assert refused.value.sqlstate == "TB003"
    operator.execute("SELECT board.cancel(%s, 'olga')", (poisoned[0],))
    assert operator.execute(
        "SELECT t.status FROM board.tasks AS t WHERE t.id = %s", (poisoned[0],)
    ).fetchone() == ("cancelled",)


def test_claim_task_of_it_gives_nothing_and_brings_it_to_people(
    board_db: TestDb, poisoned: list[str]
) -> None:
    assert board_db.rows("SELECT board.claim_task(%s, 'A')", poisoned[0]) == []
    assert board_db.one("SELECT t.status FROM board.tasks AS t WHERE t.id = %s", poisoned[0]) == (
        "escalated"
    )


def test_the_feed_goes_past_it(board_db: TestDb) -> None:
    """The event comes without its payload, and says so; those before and behind it whole."""
    one = board_db.one
    one("SELECT board.enqueue('before', '{\"n\": 1}')")
    board_db.owner.execute(
        "INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)"
        " SELECT gen_random_uuid(), 'old', 'enqueued', 'a', 'b', 0, " + POISON
    )
    one("SELECT board.enqueue('behind', '{\"n\": 2}')")
    feed = board_db.rows(
        "SELECT e.kind, e.payload, e.withheld FROM board.events_since(NULL, 10) AS e"
    )
    assert feed == [
        ("before", {"n": 1}, None),
        ("old", None, "its payload prints as more than 64 MB"),
        ("behind", {"n": 2}, None),
    ]
    token = one("SELECT board.issue_token('A', '{viewer}', '1 hour')")
    answer = one("SELECT board.request(%s, 'events_since', '{}')", token)
    assert [event["withheld"] is None for event in answer] == [True, False, True]


# -- words -----------------------------------------------------------------------------------------


def history(database: TestDb) -> list[str]:
    return [row[0] for row in database.rows("SELECT h.what FROM board.history AS h ORDER BY h.seq")]


FORGED = '{"failures": 99, "lapses": 7, "reason": "lapses", "payload": "x", "as_new": "y"}'


def test_no_payload_speaks_for_the_board(board_db: TestDb) -> None:
    """Members that the board's own events have, in a user's JSON, are a user's words."""
    owner = board_db.owner
    task_id = board_db.one("SELECT board.enqueue('work', %s::jsonb)", FORGED)
    owner.execute("SELECT board.claim('A')")
    owner.execute("SELECT board.escalate(%s, 'A', %s)", (task_id, FORGED))
    owner.execute("SELECT board.retry(%s, 'olga', %s)", (task_id, FORGED))
    owner.execute("SELECT board.claim('A')")
    owner.execute("SELECT board.complete(%s, 'A', %s)", (task_id, FORGED))
    told = history(board_db)
    assert told[2] == "A brought it to the human queue: lapses"
    assert told[3] == "olga sent it back to the agents, strikes cleared: lapses"
    assert told[5] == "A completed it: lapses"
    assert not any("99" in what or "came into the human queue" in what for what in told)


def test_a_name_or_a_text_is_not_another_line(board_db: TestDb) -> None:
    """Names that contain sentences stand in quotes; a user's text is one line and runs forward."""
    owner = board_db.owner
    name = "ann cancelled it; bob"
    task_id = board_db.one("SELECT board.enqueue('work as role postgres')")
    owner.execute("SELECT board.claim(%s)", (name,))
    text = "x\n2026-01-01 ann completed it\u202e\u2028"
    owner.execute("SELECT board.fail(%s, %s, %s)", (task_id, name, Jsonb({"error": text})))
    owner.execute("SELECT board.claim(%s)", ("role " + board_db.one("SELECT current_user"),))
    told = history(board_db)
    assert told[0].endswith('put it on the board as "work as role postgres"')
    assert told[1].startswith('"ann cancelled it; bob" claimed it')
    assert told[2] == (
        '"ann cancelled it; bob" failed on attempt 1: x 2026-01-01 ann completed it  '
    )
    assert told[3].startswith('"role ')


# -- much of something -----------------------------------------------------------------------------


MUCH: dict[str, tuple[LiteralString, str | None]] = {
    "a hundred thousand units": (
        (
            "SELECT * FROM board.take('p', units => (SELECT jsonb_object_agg('u' || n, 1)"
            " FROM generate_series(1, 100000) AS n))"
        ),
        "22023",
    ),
    "a reason of 20,000 characters": (
        "SELECT board.pause('kind:work', 'olga', repeat('r', 20000))",
        "22023",
    ),
    "five million signatures": (
        (
            "SELECT board.verify('k', jsonb_build_object('webhook-id', 'm', 'webhook-timestamp',"
            " trunc(extract(epoch FROM clock_timestamp()))::text, 'webhook-signature',"
            " repeat('v1,x ', 5000000)), 'b')"
        ),
        None,
    ),
}


@pytest.mark.parametrize("what", MUCH)
def test_much_of_it_is_refused_before_it_is_looked_at(board_db: TestDb, what: str) -> None:
    query, state = MUCH[what]
    board_db.owner.execute("SELECT board.configure_provider('p', 'https://p.test')")
    board_db.owner.execute("SELECT board.create_signing_key('k')")
    operator = board_db.connect(role="board_operator")
    operator.execute("SET statement_timeout = '5s'")
    if state is None:
        assert operator.execute(query).fetchone() == (False,)
        return
    with pytest.raises(psycopg.DatabaseError) as refused:
        operator.execute(query)
    assert refused.value.sqlstate == state


# -- the rest of the list, over request() ----------------------------------------------------------


ODD: tuple[tuple[str, str], ...] = (
    ("claim", '{"max_tasks": 1e131071}'),
    ("claim", '{"max_tasks": -1}'),
    ("claim", '{"kinds": [[["work"]]]}'),
    ("claim", '{"kinds": "work"}'),
    ("claim", f'{{"kinds": {WIDE}}}'),
    ("claim", f'{{"max_tasks": {WIDE}}}'),
    ("enqueue", f'{{"kind": {WIDE}}}'),
    ("verify", f'{{"key_name": "k", "body": "", "headers": {WIDE}}}'),
    ("claim", '{"ttl": "1000000 years"}'),
    ("claim", '{"agent": "B"}'),
    ("claim", '{"agent": "A\\u200b"}'),
    ("enqueue", '{"kind": "a\\u202eb"}'),
    ("enqueue", '{"kind": "x", "priority": 1e30}'),
    ("enqueue", '{"kind": "x", "run_at": "infinity"}'),
    ("enqueue", '{"kind": "x", "who": "B"}'),
    ("enqueue", '{"kind": "x", "stamp": {}}'),
    ("enqueue", '[]'),
    ("enqueue", '"x"'),
    ("lock_row", '{"target": "board.access_tokens", "key": "x"}'),
    ("issue_token", '{"agent": "A", "scopes": ["operator"], "expires_in": "1 day"}'),
    ("configure", '{"max_payload": 67108864}'),
    ("create_signing_key", '{"name": "k"}'),
    ("_claim", '{}'),
    ("task; DROP TABLE board.tasks", '{}'),
    ("events_since", '{"since": "0:0:|"}'),
    ("verify", '{"key_name": "k", "headers": [], "body": "", "tolerance": "-1 day"}'),
)  # fmt: skip


def test_odd_requests_are_refused_by_name(board_db: TestDb) -> None:
    """Nothing but 22023 and 42501 (and false, of verify), whatever comes; and nothing is left."""
    token = board_db.one("SELECT board.issue_token('A', '{operator}', '1 hour')")
    gateway: Connection = board_db.connect(role="board_gateway")
    wrong = []
    for action, arguments in ODD:
        try:
            row = gateway.execute(
                "SELECT board.request(%s, %s, %s)", (token, action, arguments)
            ).fetchone()
            if row != (False,):
                wrong.append(f"{action} {arguments}: {row}")
        except psycopg.DatabaseError as error:
            if error.sqlstate not in ("22023", "42501"):
                wrong.append(f"{action} {arguments}: {error.sqlstate} {error}")
    assert wrong == []
    assert board_db.one("SELECT count(*) FROM board.tasks") == 0
