"""The live board and values that are hard to read, and requests that are hard to bear.

One odd value costs its own card and nothing else; a request that makes no sense is the caller's
fault, never a 500. Values are put there by the owner: a board from before such values were refused
may hold them, and so may one that was restored.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, LiteralString

import httpx
import pytest

from tests.support.live import Audience, Relay, Viewer, wait_until
from tests.support.testdb import TestDb

pytest.importorskip("uvicorn")

DEEP = "[" * 980 + "]" * 980
DIGITS = "7" * 6000
MONSTER: LiteralString = (  # 150 KB that print as more than a gigabyte
    "(SELECT jsonb_agg('1e131071'::jsonb) FROM generate_series(1, 8400))"
)
LONG: LiteralString = "to_jsonb(repeat('long ', 4000000))"


@pytest.fixture
def relay(board_db: TestDb) -> Iterator[Relay]:
    with Relay(board_db.dsn) as started:
        yield started


@pytest.fixture
def bearer(board_db: TestDb) -> dict[str, str]:
    told = board_db.one("SELECT board.issue_token('mara', '{operator}', '1 hour')")
    return {"Authorization": f"Bearer {told}"}


def put(db: TestDb, column: LiteralString, value: LiteralString, kind: str) -> str:
    """A task in somebody's hands with that value in that column, as no verb would put it there."""
    task = db.one("SELECT board.enqueue(%s)", kind)
    db.rows("SELECT c.id FROM board.claim_task(%s, 'agent-1', '1 hour') AS c", task)
    db.silently(f"UPDATE board.tasks SET {column} = {value} WHERE id = %s", task)
    return str(task)


def odd_tasks(db: TestDb) -> dict[str, str]:
    deep: LiteralString = f"'{DEEP}'"
    digits: LiteralString = f"'{DIGITS}'"
    return {
        "deep": put(db, "progress", deep, "deep"),
        "digits": put(db, "progress", digits, "digits"),
        "long": put(db, "progress", LONG, "long"),
        "monster": put(db, "progress", MONSTER, "monster"),
        "payload": put(db, "payload", MONSTER, "payload"),
    }


def state(relay: Relay) -> dict[str, Any]:
    answer = httpx.get(relay.url + "/state", timeout=60)
    assert answer.status_code == 200, (answer.text[:500], relay.said)
    return dict(answer.json())


def cards(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {card["id"]: card for column in found["columns"].values() for card in column}


@pytest.mark.slow
def test_odd_values_cost_their_own_cards(board_db: TestDb) -> None:
    odd = odd_tasks(board_db)
    plain = str(board_db.one("SELECT board.enqueue('plain', '{\"n\": 1}')"))
    with Relay(board_db.dsn) as relay, Audience() as audience:
        viewer = audience.add(Viewer(relay.port))
        wait_until(lambda: viewer.connections > 0, "the viewer is there")
        # The state, with every card; counts come to whoever looks on, with every lease.
        shown = cards(state(relay))
        assert shown.keys() == {plain, *odd.values()}
        assert shown[plain]["payload"] == {"n": 1}
        assert shown[odd["monster"]]["payload"] == {}
        assert "cannot be shown" in shown[odd["monster"]]["progress"]
        assert shown[odd["long"]]["progress"].startswith('"long long')
        assert len(shown[odd["long"]]["progress"]) < 2100

        def leases() -> set[str]:
            return {
                task
                for block in viewer.blocks
                if block.event == "counts"
                for task in json.loads(block.data)["leases"]
            }

        wait_until(lambda: leases() == set(odd.values()), "every lease is told", 60)
        # Each of them moves, and so does the plain one: every event comes, once.
        before = board_db.one("SELECT max(e.seq) FROM board.task_events AS e")
        for task in (*odd.values(), plain):
            board_db.one("SELECT board.reprioritize(%s, 'mara', 3)", task)
        board_db.silently(
            "INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)"
            f" VALUES (%s, 'plain', 'failed', 'agent-1', 'x', 1, {MONSTER})",
            plain,
        )
        last = board_db.one("SELECT board.enqueue('plain')")
        wait_until(
            lambda: any(event["task_id"] == str(last) for event in viewer.transitions),
            "the stream goes on",
            60,
        )
        seqs = [event["seq"] for event in viewer.transitions if event["seq"] > before]
        assert seqs == [
            row[0]
            for row in board_db.rows(
                "SELECT e.seq FROM board.task_events AS e WHERE e.seq > %s ORDER BY e.seq", before
            )
        ]
        # Each can be opened; psql's history has the event too.
        assert "too large to be shown" in board_db.one(
            "SELECT string_agg(h.what, ' ') FROM board.history AS h WHERE h.task_id = %s", plain
        )
        for task in (*odd.values(), plain):
            answer = httpx.get(f"{relay.url}/tasks/{task}", timeout=60)
            assert answer.status_code == 200, (task, answer.text[:300])
        assert relay.health()["database"]["state"] == "up"
        assert not [line for line in relay.said if "stumbled" in line or "refuses" in line]


def test_a_result_goes_to_the_caller_as_the_board_says_it(
    board_db: TestDb, relay: Relay, bearer: dict[str, str]
) -> None:
    task = put(board_db, "progress", f"'{DIGITS}'", "digits")
    answer = httpx.post(relay.url + "/api/task", json={"id": task}, headers=bearer)
    assert answer.status_code == 200
    assert DIGITS in answer.text
    deep = put(board_db, "progress", f"'{DEEP}'", "deep")
    answer = httpx.post(relay.url + "/api/task", json={"id": deep}, headers=bearer)
    assert answer.status_code == 200
    assert DEEP in answer.text


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (b"[" * 900_000, {400, 422}),
        (b'{"kind": "k", "payload": ' + b"[" * 2000 + b"]" * 2000 + b"}", {200, 422}),
        (b'{"kind": "k", "payload": ' + b"[" * 400_000 + b"]" * 400_000 + b"}", {422}),
        (b'{"kind": "k", "payload": {"n": ' + DIGITS.encode() + b"}}", {200}),
        (b'{"kind": "k", "priority": ' + DIGITS.encode() + b"}", {422}),
        (b'{"kind": "k", "payload": [' + b"1e131071," * 9000 + b"1]}", {422}),
        (b'{"kind": "k", "payload": {"n": 1e999999999}}', {422}),
        (b'{"kind": "k", "payload": NaN}', {400}),
        (b'{"kind": "k"', {400}),
        (b'{"kind": "\xff"}', {400}),
        (b'{"kind": "k", "payload": "\\u0000"}', {422}),
        (b'{"kind": "k", "payload": "\\ud800"}', {400, 422}),
        (b"[]", {400}),
        (b'"text"', {400}),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_sent_is_never_the_boards_fault(
    relay: Relay, bearer: dict[str, str], body: bytes, statuses: set[int]
) -> None:
    answer = httpx.post(relay.url + "/api/enqueue", content=body, headers=bearer, timeout=60)
    assert answer.status_code in statuses, (answer.status_code, answer.text[:300])
    if answer.status_code != 200:
        assert answer.json()["error"]["message"]
    assert relay.health()["database"]["state"] == "up"


def raw(relay: Relay, head: bytes, body: bytes = b"") -> int:
    """The status of an answer to bytes that no decent client would send."""
    with socket.create_connection(("127.0.0.1", relay.port), timeout=20) as wire:
        with suppress(BrokenPipeError, ConnectionResetError):
            wire.sendall(head + b"\r\n\r\n" + body)
        told = wire.recv(4096)
    return int(told.split()[1])


def test_limits_come_before_the_token(relay: Relay) -> None:
    """Who has no token is told of the limit too: nothing large was read to find out."""
    ask = b"POST /api/claim HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    assert raw(relay, ask + b"Authorization: Bearer " + b"x" * 20_000) == 431
    assert raw(relay, ask + b"X-Long: " + b"x" * 20_000) == 431
    many = b"".join(b"X-%d: y\r\n" % n for n in range(300))
    assert raw(relay, (ask + many).removesuffix(b"\r\n")) == 431
    assert raw(relay, ask + b"Content-Length: 2000000") == 413
    chunk = b"%x\r\n" % 1_200_000 + b" " * 1_200_000 + b"\r\n0\r\n\r\n"
    assert raw(relay, ask + b"Transfer-Encoding: chunked", chunk) == 413
    assert raw(relay, ask + b"Content-Length: 2", b"{}") == 401
    assert raw(relay, ask.replace(b"/api/claim", b"/" + b"x" * 20_000)) == 414
