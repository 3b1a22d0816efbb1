"""board.request(): every verb for the bearer of a token, and nothing told to anybody else."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.support import privileges
from tests.support.testdb import Connection, TestDb

# Granted to viewers, agents or operators, and not done by request(): see _actions().
LEFT_OUT = {"lock_row", "try_lock", "lock_key", "hmac_sha256"}
# Done by request() without a function of that name.
LOOKS = {"task", "queue", "active", "human_queue", "history"}

Ask = Callable[..., Any]


def issue(database: TestDb, *scopes: str, agent: str = "agent-7") -> str:
    return str(database.one("SELECT board.issue_token(%s, %s, '1 hour')", agent, list(scopes)))


def asker(connection: Connection, token: str) -> Ask:
    def ask(action: str, **arguments: Any) -> Any:
        row = connection.execute(
            "SELECT board.request(%s, %s, %s)", (token, action, Jsonb(arguments))
        ).fetchone()
        assert row is not None
        return row[0]

    return ask


@pytest.fixture
def gateway(board_db: TestDb) -> Connection:
    return board_db.connect(role="board_gateway")


@pytest.fixture
def ask(board_db: TestDb, gateway: Connection) -> Ask:
    """As a front does for a person with all rights that a token can give."""
    return asker(gateway, issue(board_db, "operator"))


# -- the list of actions ---------------------------------------------------------------------------


def actions(database: TestDb) -> dict[str, tuple[str, list[str]]]:
    rows = database.rows("SELECT a.action, a.scope, a.arguments FROM board._actions() AS a")
    return {action: (scope, arguments) for action, scope, arguments in rows}


def test_every_verb_is_an_action(board_db: TestDb) -> None:
    granted = {
        name: role
        for role in ("viewer", "agent", "operator")
        for name in privileges.FUNCTIONS[role] - LEFT_OUT
    }
    found = {name: scope for name, (scope, _) in actions(board_db).items()}
    assert {name: scope for name, scope in found.items() if name not in LOOKS} == granted
    assert all(found[name] == "viewer" for name in LOOKS)


def test_actions_have_the_arguments_of_their_functions(board_db: TestDb) -> None:
    """Names, order, types and defaults, so that the list cannot drift from the functions."""
    short = {
        "integer": "int",
        "timestamp with time zone": "timestamptz",
    }
    signatures: dict[str, list[tuple[str, str, str | None]]] = {}
    for name, argument, type_, default in board_db.rows(
        "SELECT p.proname, a.name, format_type(a.type, NULL),"
        "       pg_get_function_arg_default(p.oid, a.place::int)"
        "  FROM pg_proc AS p"
        " CROSS JOIN LATERAL unnest(p.proargnames[:p.pronargs], p.proargtypes::oid[])"
        "       WITH ORDINALITY AS a (name, type, place)"
        " WHERE p.pronamespace = 'board'::regnamespace AND p.proname !~ '^_'"
        " ORDER BY p.proname, a.place"
    ):
        signatures.setdefault(name, []).append((argument, short.get(type_, type_), default))
    wrong = []
    for action, (_, arguments) in actions(board_db).items():
        if action in LOOKS:
            continue
        expected = []
        for argument, type_, default in signatures.get(action, []):
            if argument in ("agent", "actor"):
                expected.append(f"{argument} who")
            elif default is None:
                expected.append(f"{argument} {type_}")
            else:
                value = board_db.one(f"SELECT to_jsonb({default})".encode())  # type: ignore[arg-type]
                written = next(
                    (a.partition(" = ")[2] for a in arguments if a.startswith(f"{argument} ")), ""
                )
                same = board_db.one(
                    f"SELECT to_jsonb((%s::jsonb #>> '{{}}')::{type_})".encode(),  # type: ignore[arg-type]
                    written or "null",
                )
                said = (
                    written
                    if written and (same == value or json.loads(written) == value)
                    else value
                )
                expected.append(f"{argument} {type_} = {said}")
        if expected != arguments:
            wrong.append(f"{action}: {arguments} instead of {expected}")
    assert wrong == []


def test_every_action_reaches_its_function(board_db: TestDb, gateway: Connection) -> None:
    """With arguments of the right types: each is answered, or refused with a documented error."""
    examples = {
        "uuid": "00000000-0000-0000-0000-000000000000",
        "uuid[]": ["00000000-0000-0000-0000-000000000000"],
        "text": "x",
        "text[]": ["x"],
        "jsonb": {"a": 1},
        "jsonb[]": [{"a": 1}],
        "int": 1,
        "bigint": 1,
        "numeric": 0.5,
        "boolean": True,
        "interval": "1 minute",
        "timestamptz": "2030-01-01T00:00:00Z",
    }
    token = issue(board_db, "operator")
    wrong = []
    for action, (_, expected) in actions(board_db).items():
        arguments = {
            name: examples[type_]
            for name, type_ in (one.split(" = ")[0].split(" ") for one in expected)
            if type_ != "who"
        }
        try:
            with gateway.transaction(force_rollback=True):
                asker(gateway, token)(action, **arguments)
        except psycopg.DatabaseError as error:
            state = error.sqlstate or ""
            if not (state.startswith("TB") or state in ("22023", "42501", "0A000")):
                wrong.append(f"{action}: {state} {error.diag.message_primary}")
            elif state == "42501":
                wrong.append(f"{action}: refused to an operator")
    assert wrong == []


# -- a day at the board, through the front ---------------------------------------------------------


def test_a_day_through_the_front(board_db: TestDb, ask: Ask) -> None:
    """Each wing once, with named arguments in JSON and results in JSON."""
    cursor = ask("latest_cursor")
    first = ask("enqueue", kind="send_invoice", payload={"order": 17}, priority=3)
    second, third = ask("enqueue_many", kind="send_invoice", payloads=[{"n": 1}, {"n": 2}])
    assert [row["id"] for row in ask("queue")] == [first, second, third]
    assert ask("explain", id=first) == board_db.one("SELECT board.explain(%s)", first)
    assert ask("next_due") is not None

    (task,) = ask("claim", ttl="5 minutes", kinds=["send_invoice"])
    assert (task["id"], task["leased_by"], task["payload"]) == (first, "agent-7", {"order": 17})
    assert not {"rank", "due_at", "turn", "change"} & set(task)
    assert ask("heartbeat", id=first, ttl="9 minutes", attempt=1) > task["leased_until"]
    assert ask("complete", id=first, result={"ok": True}, attempt=1) == "completed"
    assert ask("task", id=first)["result"] == {"ok": True}
    assert ask("heartbeat", id=first) is None
    nested = ask("enqueue_many", kind="nested", payloads=[[1, 2], [3], None])
    assert [ask("task", id=one)["payload"] for one in nested] == [[1, 2], [3], None]
    for one in nested:
        ask("cancel", id=one)

    assert [row["id"] for row in ask("claim_task", id=second)] == [second]
    assert ask("fail", id=second, payload={"e": 1}, permanent=True) == "escalated"
    assert [row["id"] for row in ask("human_queue")] == [second]
    assert [row["id"] for row in ask("claim_escalated", id=second)] == [second]
    assert ask("release", id=second) == "escalated"
    assert ask("retry", id=second, note={"why": "fixed"}) == "pending"
    assert ask("reprioritize", id=second, priority=9) == 9
    assert ask("cancel", id=third) == "cancelled"
    assert ask("replay", id=third) == third
    assert ask("pause", target="kind:send_invoice", reason="lunch") == "paused"
    assert ask("claim") == []
    assert ask("resume", target="kind:send_invoice") == "resumed"
    assert ask("configure_kind", name="send_invoice", max_failures=5)["max_failures"] == 5

    board_db.owner.execute(
        "SELECT board.configure_provider('acme', 'https://api.example');"
        "SELECT board.set_limit('acme', '1 minute', 1);"
        "SELECT board.create_signing_key('k')"
    )
    assert ask("take", provider="acme") == {"granted": True, "retry_after": None}
    refused = ask("take", provider="acme")
    assert refused["granted"] is False
    assert refused["retry_after"] is not None
    assert ask("throttle", provider="acme", retry_after="1 minute") is not None
    assert ask("unthrottle", provider="acme") is True

    (task,) = ask("claim", kinds=["send_invoice"])
    ticket = ask("begin_call", task_id=task["id"], step="charge", request={"amount": 1})
    assert ticket["decision"] == "send"
    assert ticket["idempotency_key"] == ask("idempotency_key", task_id=task["id"], step="charge")
    assert ask("finish_call", task_id=task["id"], step="charge", response={"id": 1}) == "recorded"

    assert ask("record_actual", kind="send_invoice", correlation_id="o1", step="s", actual=None)
    assert ask("promotion_report", kind="send_invoice")["mode"] == "live"

    fence = ask("acquire_lock", resource="order_17")
    assert ask("check_lock", resource="order_17", token=fence) is None
    assert ask("renew_lock", resource="order_17", token=fence, ttl="1 minute") is not None
    assert ask("release_lock", resource="order_17", token=fence) is True

    headers = ask("sign", key_name="k", message_id="m", body="b")
    assert ask("verify", key_name="k", headers=headers, body="b") is True
    assert ask("version") == board_db.one("SELECT board.version()")
    assert "board.claim" in ask("help")
    assert ask("prune", older_than="1 day") == 0

    events = ask("events_since", since=cursor)
    assert [event["type"] for event in events][:2] == ["enqueued", "enqueued"]
    assert {event["actor"] for event in events} == {"agent-7"}
    assert {event["db_user"] for event in events} == {"board_gateway"}
    assert len(ask("history", id=first)) == 3
    audited = board_db.rows(
        "SELECT DISTINCT l.actor, l.db_user FROM board.audit_log AS l"
        " WHERE l.action IN ('pause', 'resume', 'configure_kind', 'unthrottle')"
    )
    assert audited == [("agent-7", "board_gateway")]


def test_refused_verbs_are_refused_as_ever(ask: Ask) -> None:
    task_id = ask("enqueue", kind="k")
    with pytest.raises(psycopg.DatabaseError) as refused:
        ask("complete", id=task_id)
    assert refused.value.sqlstate == "TB001"
    assert refused.value.diag.message_hint


# -- tokens ----------------------------------------------------------------------------------------


def told(connection: Connection, token: str | None, action: str = "claim") -> list[str | None]:
    """All that the refusal of a request tells."""
    with pytest.raises(psycopg.DatabaseError) as refused:
        connection.execute("SELECT board.request(%s, %s, '{}')", (token, action))
    diag = refused.value.diag
    return [
        diag.sqlstate,
        diag.message_primary,
        diag.message_detail,
        diag.message_hint,
        diag.context,
        diag.constraint_name,
        diag.source_line,
    ]


def test_bad_tokens_are_told_nothing_apart(board_db: TestDb, gateway: Connection) -> None:
    good = issue(board_db, "agent")
    expired = issue(board_db, "agent", agent="expired")
    board_db.owner.execute(
        "UPDATE board.access_tokens SET expires_at = clock_timestamp() WHERE agent = 'expired'"
    )
    revoked = issue(board_db, "agent", agent="revoked")
    board_db.owner.execute(
        "SELECT board.revoke_token(t.id) FROM board.tokens AS t WHERE t.agent = 'revoked'"
    )
    answers = [
        told(gateway, token, action)
        for token in ("board_wrong", good[:-1], expired, revoked, None, "", "x" * 10_000)
        for action in ("claim", "no such action")
    ]
    assert answers[0][0] == "28000"
    assert all(answer == answers[0] for answer in answers)
    scope = told(gateway, issue(board_db, "viewer"))
    assert scope[0] == "42501"
    assert scope[1:4] == answers[0][1:4]


def test_a_token_shows_nowhere(board_db: TestDb, gateway: Connection) -> None:
    """Not in errors, the statement that others see, the log, nor anything in the schema."""
    token = issue(board_db, "operator")
    secret = token.removeprefix("board_")
    task_id = board_db.one("SELECT board.enqueue('k')")
    for action, arguments in (
        ("claim", {"ttl": "-1 minute"}),
        ("claim", {"tll": "1 minute"}),
        ("claim", {"agent": "somebody"}),
        ("complete", {"id": str(task_id)}),
        ("explain", {"id": token}),
        (token, {}),
        ("enqueue", {token: 1}),
    ):
        with pytest.raises(psycopg.DatabaseError) as refused:
            asker(gateway, token)(action, **arguments)
        diag = refused.value.diag
        texts = [str(getattr(diag, name)) for name in dir(diag) if not name.startswith("_")]
        assert secret not in " ".join(texts), action

    # While it waits for a lock, its statement can be looked at.
    holder = board_db.connect(autocommit=False)
    holder.execute("SELECT FROM board.tasks AS t WHERE t.id = %s FOR UPDATE", (task_id,))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(asker(gateway, token), "cancel", id=str(task_id))
        board_db.wait_until_blocked(gateway, by=holder)
        query = board_db.one(
            "SELECT a.query FROM pg_stat_activity AS a WHERE a.pid = %s", gateway.info.backend_pid
        )
        holder.rollback()
        assert waiting.result(timeout=20) == "cancelled"
    assert "board.request" in query
    assert secret not in query

    for (name,) in board_db.rows(
        "SELECT c.relname FROM pg_class AS c"
        " WHERE c.relnamespace = 'board'::regnamespace AND c.relkind IN ('r', 'v')"
    ):
        rows = board_db.owner.execute(
            sql.SQL("SELECT r::text FROM board.{} AS r").format(sql.Identifier(name))
        ).fetchall()
        assert not [row for (row,) in rows if secret in row], name
    cluster = board_db.server.cluster
    if cluster is not None:
        log = cluster.log.read_text(errors="replace")
        assert "request refused" in log or "lease lost" in log
        assert [line for line in log.splitlines() if secret in line] == []


def test_a_revoked_token_is_not_believed_from_an_old_snapshot(board_db: TestDb) -> None:
    """REPEATABLE READ sees the token as it was; the request is 40001 and never an answer."""
    token = issue(board_db, "agent")
    old = board_db.connect(role="board_gateway", autocommit=False)
    old.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    assert asker(old, token)("next_due") is None
    board_db.owner.execute("SELECT board.revoke_token(t.id) FROM board.tokens AS t")
    with pytest.raises(psycopg.errors.SerializationFailure):
        asker(old, token)("next_due")


def test_a_revocation_waits_for_no_request(board_db: TestDb, gateway: Connection) -> None:
    token = issue(board_db, "agent")
    gateway.autocommit = False
    asker(gateway, token)("enqueue", kind="k")
    revoker = board_db.connect(options="-c lock_timeout=2s")
    assert revoker.execute("SELECT board.revoke_token(t.id) FROM board.tokens AS t").fetchone() == (
        True,
    )
    gateway.commit()
    gateway.autocommit = True
    assert told(gateway, token)[0] == "28000"
