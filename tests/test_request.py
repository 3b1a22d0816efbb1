"""board.request(): every verb for the bearer of a token, and nothing told to anybody else."""

from __future__ import annotations

import contextlib
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
LOOKS = {"task", "queue", "active", "human_queue", "history", "whoami"}

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


def actions(database: TestDb) -> dict[str, str]:
    return dict(database.rows("SELECT a.action, a.scope FROM board._actions() AS a"))


def action_arguments(database: TestDb, action: str) -> list[tuple[str, str, bool, Any]]:
    return database.rows("SELECT a.* FROM board._action_arguments(%s) AS a", action)


def test_every_verb_is_an_action(board_db: TestDb) -> None:
    granted = {
        name: role
        for role in ("viewer", "agent", "operator")
        for name in privileges.FUNCTIONS[role] - LEFT_OUT
    }
    found = actions(board_db)
    # A database role that is an agent's signs with any key; a token needs sign:KEY.
    assert found["sign"] == "sign"
    assert {name: scope for name, scope in found.items() if name not in LOOKS} == {
        **granted,
        "sign": "sign",
    }
    assert {name: found[name] for name in LOOKS} == {
        **dict.fromkeys(LOOKS, "viewer"),
        "whoami": "anybody",
    }
    # A name is one function's: its own, or that of the look.
    functions = board_db.rows(
        "SELECT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'board'::regnamespace"
    )
    for name in found:
        assert [one for (one,) in functions if one in (name, f"_show_{name}")] == [
            f"_show_{name}" if name in LOOKS else name
        ]


def test_arguments_come_from_the_catalog(board_db: TestDb) -> None:
    """A further argument of a verb is known to request() without a word of the gateway's."""
    before = action_arguments(board_db, "version")
    board_db.owner.execute(
        "DROP FUNCTION board.version;"
        "CREATE FUNCTION board.version(agent text, long boolean DEFAULT false,"
        " since timestamptz DEFAULT NULL, OUT v text, many text[] DEFAULT '{}',"
        " low bigint DEFAULT -5) LANGUAGE sql AS $$ SELECT '1' $$"
    )
    assert before == []
    assert action_arguments(board_db, "version") == [
        ("agent", "text", False, None),
        ("long", "boolean", True, False),
        ("since", "timestamptz", True, None),
        ("many", "text[]", True, "{}"),
        ("low", "bigint", True, -5),
    ]
    said = board_db.one("SELECT board._describe_arguments('version')")
    assert said == (
        'It takes long boolean = false, since timestamptz = null, many text[] = "{}",'
        " low bigint = -5."
    )


def test_defaults_are_those_of_the_functions(board_db: TestDb) -> None:
    """Every default is a constant that _constant can read, and comes out as the same value."""
    wrong = []
    for action in actions(board_db):
        rows = board_db.rows(
            "SELECT a.name, a.type, a.standard #>> '{}', a.standard IS NULL,"
            "       pg_get_function_arg_default(p.oid, a.place::int)"
            "  FROM board._action_arguments(%s) WITH ORDINALITY"
            "    AS a (name, type, optional, standard, place)"
            "  JOIN pg_proc AS p ON p.proname IN (%s, %s)"
            "   AND p.pronamespace = 'board'::regnamespace"
            " WHERE a.optional",
            action,
            action,
            f"_show_{action}",
        )
        for name, type_, standard, unread, expression in rows:
            same = not unread and board_db.one(
                f"SELECT %s::{type_} IS NOT DISTINCT FROM {expression}".encode(),  # type: ignore[arg-type]
                standard,
            )
            if not same:
                wrong.append(f"{action}.{name}: {expression} is taken for {standard}")
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
        "integer": 1,
        "bigint": 1,
        "numeric": 0.5,
        "double precision": 0.5,
        "boolean": True,
        "interval": "1 minute",
        "timestamptz": "2030-01-01T00:00:00Z",
    }
    board_db.owner.execute("SELECT board.create_signing_key('x')")
    token = issue(board_db, "operator", "sign:x")
    wrong = []
    for action in actions(board_db):
        arguments = {
            name: examples[type_]
            for name, type_, _, _ in action_arguments(board_db, action)
            if name not in ("agent", "actor")
        }
        try:
            with gateway.transaction(force_rollback=True):
                asker(gateway, token)(action, **arguments)
        except psycopg.DatabaseError as error:
            state = error.sqlstate or ""
            if not (state.startswith("TB") or state in ("22023", "42501")):
                wrong.append(f"{action}: {state} {error.diag.message_primary}")
            elif state == "42501":
                wrong.append(f"{action}: refused to an operator")
    assert wrong == []


def test_values_reach_the_verb_as_they_were(board_db: TestDb, ask: Ask) -> None:
    """Null, arrays in arrays, text that looks like an array's, whole numbers with a point."""
    payloads = [[1, 2], None, "a,b", "{x}", {"n": "NULL"}, 'quote " and \\']
    ids = ask("enqueue_many", kind="odd", payloads=payloads, priority=2.0)
    assert [ask("task", id=one)["payload"] for one in ids] == payloads
    assert ask("task", id=ids[0])["priority"] == 2
    for kinds in (["a,b"], ["{odd}"], ['"odd"'], ["NULL"], [""]):
        with contextlib.suppress(psycopg.errors.InvalidParameterValue):
            assert ask("claim", kinds=kinds) == []
    assert len(ask("claim", kinds=["odd", "a,b"], max_tasks=10)) == len(payloads)
    paths = ['$."a,b"', "$.x[*]", '$."q\\"q"']
    assert ask("configure_kind", name="odd", ignored_paths=paths)["ignored_paths"] == paths
    assert ask("configure_kind", name="odd", reset=["ignored_paths"])["ignored_paths"] == []
    assert ask("configure_kind", name="odd", min_agreement=0.75)["min_agreement"] == 0.75
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="max_failures"):
        ask("configure_kind", name="odd", max_failures=3_000_000_000)


def test_made_or_found(board_db: TestDb, gateway: Connection) -> None:
    """A front that asks in the transaction of its enqueue learns whether the task was there."""
    ask = asker(gateway, issue(board_db, "enqueue", "is_new"))
    for made in (True, False):
        with gateway.transaction():
            task = ask("enqueue", kind="k", unique_key="delivery-1")
            assert ask("is_new", id=task) is made
    assert ask("is_new", id=task) is False


@pytest.mark.parametrize(
    "scopes",
    [("viewer",), ("agent",), ("operator",), ("verify", "enqueue"), ("sign:ours",), ("whoami",)],
)
def test_a_token_knows_what_it_may(
    board_db: TestDb, gateway: Connection, scopes: tuple[str, ...]
) -> None:
    """whoami lists exactly the actions that request() does not refuse to this token."""
    board_db.owner.execute("SELECT board.create_signing_key('ours')")
    token = issue(board_db, *scopes, agent="mara")
    ask = asker(gateway, token)
    said = ask("whoami")
    assert (said["agent"], said["scopes"]) == ("mara", list(scopes))
    assert said["expires_at"][:19] == board_db.one(
        "SELECT to_char(t.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS')"
        " FROM board.tokens AS t WHERE t.agent = 'mara'"
    )
    allowed = []
    for action in actions(board_db):
        key = {"key_name": "ours"} if action == "sign" else {}
        try:
            with gateway.transaction(force_rollback=True):
                # An argument that nothing has: an action that is allowed refuses that.
                ask(action, **key, no_such_argument=1)
        except psycopg.errors.InvalidParameterValue:
            allowed.append(action)
        except psycopg.errors.InsufficientPrivilege:
            pass
    assert said["actions"] == sorted(allowed)
    assert "whoami" in allowed
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='"bearer"'):
        ask("whoami", bearer={})


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

    sign = asker(board_db.connect(role="board_gateway"), issue(board_db, "sign:k"))
    headers = sign("sign", key_name="k", message_id="m", body="b")
    assert ask("verify", key_name="k", headers=headers, body="b") is True
    assert ask("version") == board_db.one("SELECT board.version()")
    assert "board.claim" in ask("help")
    assert ask("prune", older_than="1 day") == 0

    events = ask("events_since", since=cursor)
    assert [event["type"] for event in events][:2] == ["enqueued", "enqueued"]
    assert {event["actor"] for event in events} == {"agent-7"}
    assert {event["db_user"] for event in events} == {"board_gateway"}
    assert len(ask("history", id=first)) == 4  # with its heartbeat
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


# -- signing ---------------------------------------------------------------------------------------


def test_signing_is_a_scope_per_key(board_db: TestDb, gateway: Connection) -> None:
    """No group has it: who may sign as one key may not sign as another, nor with what came in."""
    owner = board_db.owner
    owner.execute("SELECT board.create_signing_key('ours'), board.create_signing_key('other')")
    owner.execute("SELECT board.import_signing_key('theirs', repeat('QUJD', 8))")
    signer = asker(gateway, issue(board_db, "sign:ours", "verify"))
    headers = signer("sign", key_name="ours", message_id="m", body="b")
    assert signer("verify", key_name="ours", headers=headers, body="b") is True
    refusals = set()
    for scopes in (("viewer",), ("agent",), ("operator",), ("agent", "sign:ours")):
        ask = asker(gateway, issue(board_db, *scopes))
        for key in ("other", "theirs", "ours' OR true", None, 7):
            with pytest.raises(psycopg.errors.InsufficientPrivilege) as refused:
                ask("sign", key_name=key, message_id="m", body="b")
            refusals.add((refused.value.diag.message_primary, refused.value.diag.message_detail))
        if "sign:ours" not in scopes:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ask("sign", key_name="ours", message_id="m", body="b")
    assert len(refusals) == 1, "a refusal tells which keys there are"
    for scope in ("sign", "sign:", "sign:nobody", "sign:theirs", "sign:ours "):
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            issue(board_db, scope)


def test_units_through_the_front(board_db: TestDb, ask: Ask) -> None:
    """Estimates, settlements, budgets of tasks and throttles of all accounts, in JSON; and a token
    gives back what its own agent took, though all tokens share one database role."""
    board_db.owner.execute(
        "SELECT board.configure_provider('model', 'https://api.example');"
        "SELECT board.set_limit('model', '1 hour', 1000, 'token');"
        "SELECT board.set_limit('model', '1 hour', 10)"
    )
    board_db.one("SELECT (board.configure_kind('ask', provider => 'model')).name")
    now = board_db.one("SELECT clock_timestamp()").isoformat()
    assert ask("take", provider="model", units={"token": 400})["granted"] is True
    other = asker(board_db.connect(role="board_gateway"), issue(board_db, "agent", agent="agent-8"))
    assert other("give_back", provider="model", taken_at=now, units={"token": 400}) == 0
    assert ask("give_back", provider="model", taken_at=now, units={"token": 400}) == 1
    task = ask("enqueue", kind="ask")
    ask("claim_task", id=task)
    ticket = ask("begin_call", task_id=task, step="s", request=1, units={"token": 900})
    assert ticket["decision"] == "send"
    assert ask("finish_call", task_id=task, step="s", response=1, used={"token": 100}) == "recorded"
    used = "SELECT v.used FROM board.provider_budgets AS v WHERE v.unit = 'token'"
    assert board_db.one(used) == 100
    assert ask("set_task_budget", id=task, units={"token": 150}) == {"token": 150}
    ticket = ask("begin_call", task_id=task, step="t", request=1, units={"token": 51})
    assert ticket["decision"] == "over_budget"
    assert ask("task", id=task)["escalation_reason"] == "budget"
    assert ask("throttle", provider="model", account=None) is not None
    assert ask("take", provider="model", account="any")["granted"] is False
    assert board_db.one("SELECT l.actor FROM board.audit_log AS l WHERE l.action = 'throttle'") == (
        "agent-7"
    )
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="units"):
        ask("take", provider="model", units={"token": 1.5})
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="cost"):
        ask("take", provider="model", cost=10**15)
