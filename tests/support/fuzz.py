"""Values for tests/test_fuzz.py: the edges of each type, and what is really on the board."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.support.testdb import TestDb

TEXTS = (
    "", " ", "a", "agent-1", "A" * 200, "A" * 201, "x" * 3_000, "y" * 100_000,
    "\x01", "a\nb", "tab\t", "\x7f", "\u0085", "\u202e", "💸", "e\u0301", "'", "''", "\\", "$$",
    "%s %I", "NULL", "null", "0", "-1", "1e400", "NaN",
    "board", "kind:", "kind:k", "kind:" + "k" * 300,
    "provider:p", "task:", "task:0", "live", "shadow", "dry_run", "each", "off", "coalesced",
    "https://api.example", "https://" + "h" * 3_000, "ftp://x", "$.a", "a.*", "claim", "start",
)  # fmt: skip
INTERVALS = (
    "0", "1 microsecond", "-1 microsecond", "1 second", "2 minutes", "-2 minutes", "1 day",
    "7 days", "7 days 1 microsecond", "1 month", "-1 month 30 days", "10 years", "100 years",
    "1000 years", "178000000 years", "-178000000 years", "2562047788 hours",
)  # fmt: skip
TIMES = (
    "epoch", "infinity", "-infinity", "4714-11-24 00:00:00+00 BC", "294276-12-31 23:59:59+00",
    "2000-01-01 00:00:00+00", "2999-01-01 00:00:00+00", "1999-12-31 23:59:60+00",
)  # fmt: skip
INTEGERS = (0, 1, 2, 3, 100, -1, 2_147_483_647, -2_147_483_648, 1_000_000, 10_001)
BIGINTS = (*INTEGERS, 2**63 - 1, -(2**63), 2**31)
NUMERICS = (
    "0",
    "1",
    "0.9",
    "-1",
    "1.0000000001",
    "NaN",
    "Infinity",
    "-Infinity",
    "1e1000",
    "1e-1000",
)
FLOATS = ("0", "1", "0.9", "-1", "1.0000000001", "NaN", "Infinity", "-Infinity", "1e308", "1e-300")
JSONS = (
    "null", "{}", "[]", '""', "0", "-0.0", "1e1000", "true", '{"a": 1}', '{"": {"": []}}',
    "[" * 200 + "]" * 200, '{"a":' * 100 + "1" + "}" * 100, json.dumps("z" * 100_000),
    json.dumps({str(n): n for n in range(500)}), '{"error": "\\u202e💸\\\\"}', "[null, null]",
    '{"webhook-id": "m", "webhook-timestamp": "0", "webhook-signature": "v1,x"}',
)  # fmt: skip
RELATIONS = (
    "fuzz.orders",
    "fuzz.lines",
    "pg_class",
    "board.tasks",
    "board.settings",
    "board.queue",
)
BYTES = ("", "\\x00", "\\x" + "ab" * 200, "\\x" + "00" * 10_000)
# Else hardly a call would come past its names.
FITTING = {
    "agent": "agent-1",
    "actor": "agent-1",
    "provider": "p",
    "key_name": "key-1",
    "kind": "s",
    "correlation_id": "c",
    "step": "step",
    "resource": "order_1",
    "secret": "whsec_" + "QUJD" * 8,
}
NO_TASK = "00000000-0000-0000-0000-000000000000"


class Pool:
    """What is on the board: names, ids, tokens and cursors that calls can hit."""

    def __init__(self, database: TestDb) -> None:
        one = database.one
        database.owner.execute(
            """
            SELECT board.configure_provider('p', 'https://api.example', 'https://sandbox.example'),
                   board.set_limit('p', '1 minute', 5),
                   board.create_signing_key('key-1'),
                   board.acquire_lock('order_1', 'agent-1'),
                   board.register_agent('bound', 'board_viewer'),
                   board.configure_kind('k', max_in_progress => 50, provider => 'p'),
                   board.configure_kind('s', mode => 'shadow'),
                   board.enqueue('later', run_at => '2999-01-01'),
                   board.enqueue('k', unique_key => 'u', correlation_id => 'c'),
                   board.record_actual('s', 'c', 'step', '{"a": 1}')
            """
        )
        held = one("SELECT c.id FROM board.claim('agent-1', kinds => '{k}') AS c")
        database.owner.execute("SELECT board.begin_call(%s, 'agent-1', 'step')", (held,))
        ids = [str(held)]
        for ending in (
            "SELECT board.complete({}, 'agent-1', '{{\"ok\": true}}')",
            "SELECT board.fail({}, 'agent-1', permanent => true)",
            "SELECT board.cancel({}, 'agent-1')",
            "SELECT board.heartbeat({}, 'agent-1')",
        ):
            task = one("SELECT board.enqueue('s', correlation_id => 'c')")
            database.owner.execute("SELECT board.claim_task(%s, 'agent-1')", (task,))
            database.owner.execute(ending.format(f"'{task}'").encode())
            ids.append(str(task))
        ids += [
            str(one("SELECT board.enqueue('k')")),
            str(one("SELECT board.enqueue('never seen')")),
        ]
        self.ids = ids
        self.token = str(one("SELECT board.issue_token('agent-1', '{operator}', '1 day')"))
        self.token_id = str(one("SELECT t.id FROM board.tokens AS t"))
        self.texts = (
            "k", "s", "never seen", "bound", "p", "key-1", "order_1", "step", "c", "u",
            f"task:{ids[0]}", f"task:{ids[5]}", str(one("SELECT board.latest_cursor()")),
            str(one("SELECT min(e.cursor) FROM board.events_since(NULL, 3) AS e")),
            self.token, "admin", "agent", "board_viewer",
        )  # fmt: skip
        self.actions: dict[str, list[tuple[str, str]]] = {}
        for action, name, type_ in database.rows(
            "SELECT a.action, e.name, CASE WHEN e.name IN ('agent', 'actor') THEN 'who'"
            "                              ELSE e.type END"
            "  FROM board._actions() AS a LEFT JOIN LATERAL board._action_arguments(a.action)"
            "    WITH ORDINALITY AS e (name, type, optional, standard, place) ON true"
            " ORDER BY a.action, e.place"
        ):
            known = self.actions.setdefault(action, [])
            if name is not None:
                known.append((name, type_))
        modern = database.owner.info.server_version >= 170000
        self.intervals = (*INTERVALS, *(("infinity", "-infinity") if modern else ()))


def literal(value: Any, type_: str) -> str:
    """A value as SQL, for a server with standard_conforming_strings."""
    if value is None:
        return f"NULL::{type_}"
    return "'" + str(value).replace("'", "''") + f"'::{type_}"


def text(rng: Random, pool: Pool) -> str:
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(pool.texts)
    if kind < 0.9:
        return rng.choice(TEXTS)
    # Any character but NUL, which text cannot hold, and surrogates, which are none.
    planes = ((1, 0x2FF), (1, 0xD7FF), (0xE000, 0x10FFFF))
    codes = (rng.randint(*rng.choice(planes)) for _ in range(rng.randint(0, 20)))
    return "".join(map(chr, codes))


def _value(rng: Random, type_: str, pool: Pool) -> Any:
    match type_:
        case "text":
            return text(rng, pool)
        case "uuid":
            return rng.choice((*pool.ids, *pool.ids, NO_TASK, pool.token_id))
        case "integer" | "int":
            return rng.choice((*INTEGERS, rng.randint(-(2**31), 2**31 - 1)))
        case "bigint":
            return rng.choice(BIGINTS)
        case "numeric":
            return rng.choice(NUMERICS)
        case "double precision":
            return rng.choice(FLOATS)
        case "boolean":
            return rng.choice(("true", "false"))
        case "interval":
            return rng.choice(pool.intervals)
        case "timestamp with time zone" | "timestamptz":
            return rng.choice(TIMES)
        case "jsonb":
            return rng.choice(JSONS)
        case "bytea":
            return rng.choice(BYTES)
        case "regclass":
            return rng.choice(RELATIONS)
    raise NotImplementedError(f"no values for arguments of type {type_}")


def _argument(rng: Random, name: str, type_: str, pool: Pool) -> str:
    """An SQL expression of that type."""
    if rng.random() < 0.1:
        return literal(None, type_)
    if name in FITTING and rng.random() < 0.5:
        return literal(FITTING[name], type_)
    if not type_.endswith("[]"):
        return literal(_value(rng, type_, pool), type_)
    element = type_.removesuffix("[]")
    elements = [_argument(rng, "", element, pool) for _ in range(rng.randint(0, 4))]
    if len(elements) == 2 and rng.random() < 0.3:
        elements = [f"ARRAY[{one}]" for one in elements]
    return f"ARRAY[{', '.join(elements)}]::{type_}"


def arguments(rng: Random, expected: list[tuple[str, str]], required: int, pool: Pool) -> list[str]:
    """Of a call: those that must be there and some of the others."""
    given = expected[: rng.randint(required, len(expected))]
    return [_argument(rng, name, type_, pool) for name, type_ in given]


ODD: tuple[Any, ...] = (None, 0, 1.5, -1, 10**30, True, "", "x", [], [None], {}, {"a": []})


def _json(rng: Random, type_: str, pool: Pool) -> Any:
    if rng.random() < 0.1:
        return rng.choice(ODD)
    if type_ == "who":
        return rng.choice(("agent-1", "agent-1", "somebody"))
    if type_.endswith("[]"):
        element = type_.removesuffix("[]")
        return [_json(rng, element, pool) for _ in range(rng.randint(0, 4))]
    value = _value(rng, type_, pool)
    if type_ in ("jsonb", "boolean"):
        return json.loads(value, parse_float=lambda _: 1.5)  # 1e1000 would come back as Infinity
    return rng.choice((0.5, 1, -1, 1e300)) if type_ in ("numeric", "double precision") else value


def request_arguments(rng: Random, pool: Pool) -> list[str]:
    """Of request(): mostly the good token, a real action and arguments by their names."""
    token = rng.choice((pool.token,) * 15 + ("", pool.token[:-1]))
    action = rng.choice((*pool.actions, "", "no such action"))
    if rng.random() < 0.05:
        return [
            literal(token, "text"),
            literal(action, "text"),
            literal(rng.choice(JSONS), "jsonb"),
        ]
    known = [one for one in pool.actions.get(action, []) if one[1] != "who" or rng.random() < 0.1]
    if rng.random() < 0.3:
        known = [one for one in known if rng.random() < 0.8]
    chosen = {name: _json(rng, type_, pool) for name, type_ in known}
    if rng.random() < 0.05:
        chosen[rng.choice(("x", "", "agent", "id", "x" * 1000))] = rng.choice(ODD)
    return [literal(token, "text"), literal(action, "text"), literal(json.dumps(chosen), "jsonb")]
