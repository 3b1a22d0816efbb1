"""Signatures between board and the Standard Webhooks library, and what else may come in."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import math
import random
import re
import runpy
import string
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from tests.support.testdb import Connection, TestDb

BODIES = {
    "empty": "",
    "JSON": '{"order":17,"paid":true}',
    "JSON with blanks": '{ "order" : 17 ,\n\t"paid" : true }\n',
    "emoji": '{"text":"💸 ünïcode 漢字 \u202e"}',
    "backslashes": r'{"path":"C:\\new\\table","quote":"\"","u":"\u00e9"}',
    "control characters": "a\x01b\tc\r\nd\x7f",
    "100 kB": '{"filler":"' + "x🙂" * 20_000 + '"}',
}


def create(database: TestDb, name: str) -> str:
    return str(database.one("SELECT board.create_signing_key(%s)", name))


def verify(
    database: TestDb, name: str, headers: Any, body: str | None, tolerance: str = "5 minutes"
) -> bool:
    answer = database.one(
        "SELECT board.verify(%s, %s, %s, %s::interval)", name, Jsonb(headers), body, tolerance
    )
    assert isinstance(answer, bool)
    return answer


def sent(
    secret: str, body: str, message_id: str = "msg_1", at: int | None = None
) -> dict[str, str]:
    """Headers as a sender makes them with the library, now or at that second."""
    second = math.floor(time.time()) if at is None else at
    moment = datetime.fromtimestamp(second, tz=UTC)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(second),
        "webhook-signature": Webhook(secret).sign(message_id, moment, body),
    }


def accepted_by_library(secret: str, headers: dict[str, str], body: str) -> bool:
    try:
        Webhook(secret).verify(body, headers, json_parse=False)
    except WebhookVerificationError:
        return False
    return True


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_the_library_verifies_what_sign_makes(board_module_db: TestDb, body: str) -> None:
    name = f"out {random.random()}"
    secret = create(board_module_db, name)
    headers = board_module_db.one("SELECT board.sign(%s, 'msg_1', %s)", name, body)
    assert set(headers) == {"webhook-id", "webhook-timestamp", "webhook-signature"}
    assert accepted_by_library(secret, headers, body)
    assert not accepted_by_library(secret, headers, body + " ")


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_verify_accepts_what_the_library_signs(board_module_db: TestDb, body: str) -> None:
    name = f"in {random.random()}"
    secret = create(board_module_db, name)
    headers = sent(secret, body)
    assert verify(board_module_db, name, headers, body)
    assert verify(board_module_db, name, {k.title(): v for k, v in headers.items()}, body)
    assert not verify(board_module_db, name, headers, body + " ")


@pytest.mark.parametrize("length", [24, 25, 32, 40, 63, 64])
def test_secrets_of_every_length_work_both_ways(board_module_db: TestDb, length: int) -> None:
    secret = "whsec_" + base64.b64encode(random.randbytes(length)).decode()
    name = f"length {length}"
    board_module_db.one("SELECT board.import_signing_key(%s, %s)", name, secret)
    assert verify(board_module_db, name, sent(secret, "b"), "b")
    # Signing is for keys made here, of 32 bytes; the owner lets this one do it all the same.
    board_module_db.owner.execute(
        "UPDATE board.signing_keys SET signs = true WHERE name = %s", (name,)
    )
    headers = board_module_db.one("SELECT board.sign(%s, 'm', 'b')", name)
    assert accepted_by_library(secret, headers, "b")
    assert "\n" not in headers["webhook-signature"]


def test_made_secrets(board_module_db: TestDb) -> None:
    """32 bytes each, on one line, all different, and every bit of them is sometimes set."""
    secrets = [create(board_module_db, f"made {number}") for number in range(200)]
    raw = [base64.b64decode(secret.removeprefix("whsec_"), validate=True) for secret in secrets]
    assert all(secret.startswith("whsec_") and "\n" not in secret for secret in secrets)
    assert {len(one) for one in raw} == {32}
    assert len(set(raw)) == 200
    ones = [sum(one[bit // 8] >> bit % 8 & 1 for one in raw) for bit in range(256)]
    # 100 of 200 expected; 7 standard deviations would be an accident of one in 10^12.
    assert min(ones) > 50
    assert max(ones) < 150


def test_tolerance(board_module_db: TestDb) -> None:
    """299 seconds off are fine and 301 are not, either way; a second is for slow machines."""
    secret = create(board_module_db, "tolerance")

    def answer(at: int, tolerance: str = "5 minutes") -> bool:
        return verify(board_module_db, "tolerance", sent(secret, "b", at=at), "b", tolerance)

    assert answer(math.ceil(time.time()) - 299)
    assert not answer(math.floor(time.time()) - 301)
    assert answer(math.floor(time.time()) + 299)
    assert not answer(math.ceil(time.time()) + 301)
    hour_ago = math.floor(time.time()) - 3600
    assert answer(hour_ago, "2 hours")
    assert answer(hour_ago, "178000000 years")
    assert not answer(hour_ago, "-2 hours")


def test_rotation(board_db: TestDb) -> None:
    """Both secrets sign and verify until the old one's time is over; then only the new one."""
    old = create(board_db, "k")
    new = str(board_db.one("SELECT board.rotate_signing_key('k', '1 day')"))
    headers = board_db.one("SELECT board.sign('k', 'm', 'b')")
    assert len(headers["webhook-signature"].split(" ")) == 2
    for secret in (old, new):
        assert accepted_by_library(secret, headers, "b")
        assert verify(board_db, "k", sent(secret, "b"), "b")
    # A third, while the first still counts.
    third = str(board_db.one("SELECT board.rotate_signing_key('k', '1 hour')"))
    headers = board_db.one("SELECT board.sign('k', 'm', 'b')")
    assert [accepted_by_library(secret, headers, "b") for secret in (old, new, third)] == [True] * 3

    board_db.owner.execute(
        "UPDATE board.signing_secrets AS s SET valid_until = clock_timestamp() WHERE version < 3"
    )
    headers = board_db.one("SELECT board.sign('k', 'm', 'b')")
    assert [accepted_by_library(secret, headers, "b") for secret in (old, new, third)] == [
        False,
        False,
        True,
    ]
    assert [verify(board_db, "k", sent(one, "b"), "b") for one in (old, new, third)] == [
        False,
        False,
        True,
    ]
    # After a leak: nothing old is good any more, and nothing old is kept.
    board_db.one("SELECT board.rotate_signing_key('k', '0')")
    assert not verify(board_db, "k", sent(third, "b"), "b")
    assert board_db.one("SELECT count(*) FROM board.signing_secrets") == 1


def test_two_rotations_at_once(board_db: TestDb) -> None:
    """The second waits, and retires the first one's secret: all three are good for a while."""
    secrets = [create(board_db, "k")]
    first = board_db.connect(autocommit=False)
    second = board_db.connect()
    rotate = "SELECT board.rotate_signing_key('k', '1 day')"
    row = first.execute(rotate).fetchone()
    assert row is not None
    secrets.append(row[0])
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(second.execute, rotate)
        board_db.wait_until_blocked(second, by=first)
        first.commit()
        row = waiting.result(timeout=20).fetchone()
    assert row is not None
    secrets.append(row[0])
    headers = board_db.one("SELECT board.sign('k', 'm', 'b')")
    assert all(accepted_by_library(secret, headers, "b") for secret in secrets)
    assert (
        board_db.one("SELECT count(*) FROM board.signing_secrets AS s WHERE s.valid_until IS NULL")
        == 1
    )


@pytest.mark.parametrize("ending", ["commit", "rollback"])
def test_two_make_one_key(board_db: TestDb, ending: str) -> None:
    """The second waits for the first: 22023 when it commits, a key of its own when it does not."""
    first = board_db.connect(autocommit=False)
    second = board_db.connect()
    first.execute("SELECT board.create_signing_key('k')")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(second.execute, "SELECT board.create_signing_key('k')")
        board_db.wait_until_blocked(second, by=first)
        getattr(first, ending)()
        if ending == "commit":
            with pytest.raises(psycopg.errors.InvalidParameterValue):
                waiting.result(timeout=20)
        else:
            row = waiting.result(timeout=20).fetchone()
            assert row is not None
            assert verify(board_db, "k", sent(row[0], "b"), "b")
    assert board_db.one("SELECT count(*) FROM board.signing_secrets") == 1


# -- what may come in ------------------------------------------------------------------------------

text_without_nul = st.text(
    st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=60
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text_without_nul,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(text_without_nul, inner, max_size=3)
    ),
    max_leaves=6,
)
header_names = st.sampled_from(
    ["webhook-id", "webhook-timestamp", "webhook-signature", "Webhook-Id", "WEBHOOK-SIGNATURE", "x"]
)
ODD_HEADERS = (
    *("", " ", ",", "v1", "v1,", ",v1", "v1,=", "v1,x v1,y", "v2,aaaa", "v1a,aaaa", "v1," * 500),
    *("1e5", "-1", "0", "9" * 20, "9" * 200_000, "NaN", "infinity", "now", "1700000000.5", "٣"),
)
header_values = json_values | st.sampled_from(ODD_HEADERS)


@pytest.fixture(scope="module")
def inbound(board_module_db: TestDb) -> tuple[TestDb, str]:
    return board_module_db, create(board_module_db, "inbound")


def test_garbage_is_false_and_never_an_error(inbound: tuple[TestDb, str]) -> None:
    database, secret = inbound
    good = sent(secret, "b")
    signature = good["webhook-signature"]
    # A sound signature among others counts; the rest of the header does not matter.
    for several in (
        f"v1,AAAA {signature}",
        f"{signature} v1",
        f"v2,x garbage {signature} v1a,y",
    ):
        assert verify(database, "inbound", {**good, "webhook-signature": several}, "b"), several
    for change in (
        {"webhook-signature": signature.removeprefix("v1,")},
        {"webhook-signature": signature.replace("v1,", "v2,")},
        {"webhook-signature": signature.replace("v1,", "v1 ")},
        {"webhook-signature": signature[:-1]},
        {"webhook-signature": signature + "="},
        {"webhook-signature": ""},
        {"webhook-timestamp": good["webhook-timestamp"] + ".0"},
        {"webhook-timestamp": " " + good["webhook-timestamp"]},
        {"webhook-timestamp": int(good["webhook-timestamp"]) - 1},
        {"webhook-id": ""},
        {"webhook-id": "x" * 300},
    ):
        assert not verify(database, "inbound", {**good, **change}, "b"), change
    for name, value in itertools.product(good, ODD_HEADERS):
        assert not verify(database, "inbound", {**good, name: value}, "b"), (name, value[:50])
    for missing in good:
        rest = {name: value for name, value in good.items() if name != missing}
        assert not verify(database, "inbound", rest, "b"), missing

    asked = 0

    @settings(max_examples=400, deadline=None, database=None)
    @given(
        headers=json_values | st.dictionaries(header_names, header_values, max_size=6),
        body=st.none() | text_without_nul,
        tolerance=st.sampled_from(["5 minutes", "-1 day", "178000000 years", "0"]),
    )
    def garbage(headers: Any, body: str | None, tolerance: str) -> None:
        nonlocal asked
        asked += 1
        if isinstance(headers, dict):
            headers = {**good, **headers}
            if headers == good and body == "b":
                return
        assert not verify(database, "inbound", headers, body, tolerance)

    garbage()
    assert asked >= 400


def test_a_header_of_many_signatures_is_cheap(inbound: tuple[TestDb, str]) -> None:
    """One HMAC a secret over 100 kB, however many signatures are sent; more than 10,000 characters
    of them are not looked at: two hundred are a hundred times what a rotation needs."""
    database, secret = inbound
    body = "x" * 100_000
    good = sent(secret, body)
    other = "v1," + "".join(random.choices(string.ascii_letters, k=44))
    session: Connection = database.connect(options="-c statement_timeout=3s")
    for signature, expected in (
        (" ".join([other] * 150), False),
        (f"{' '.join([other] * 150)} {good['webhook-signature']}", True),
        (f"{' '.join([other] * 20_000)} {good['webhook-signature']}", False),
    ):
        row = session.execute(
            "SELECT board.verify('inbound', %s, %s)",
            (Jsonb({**good, "webhook-signature": signature}), body),
        ).fetchone()
        assert row == (expected,)


# -- the page about HTTP ---------------------------------------------------------------------------


@pytest.fixture
def front(board_db: TestDb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[TestDb, Any]:
    """The program of docs/http.md, running as a login with board_gateway and nothing else."""
    page = (Path(__file__).parents[1] / "docs" / "http.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", page, re.S)
    token = board_db.one("SELECT board.issue_token('payments', '{verify,enqueue}', '1 day')")
    monkeypatch.setenv("BOARD_DSN", f"{board_db.dsn} options='-c role=board_gateway'")
    monkeypatch.setenv("BOARD_WEBHOOK_TOKEN", token)
    (tmp_path / "front.py").write_text(program)
    return board_db, runpy.run_path(str(tmp_path / "front.py"))["app"]


async def post(app: Any, path: str, content: str | bytes, **headers: str) -> tuple[int, Any]:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://board") as client:
        answer = await client.post(path, content=content, headers=headers)
    # A number that is longer than Python likes stays text.
    return answer.status_code, json.loads(
        answer.text, parse_int=lambda digits: int(digits) if len(digits) < 20 else digits
    )


def test_the_front_of_the_page(front: tuple[TestDb, Any]) -> None:
    database, app = front
    token = database.one("SELECT board.issue_token('agent-7', '{agent}', '1 day')")

    def act(action: str, content: str | bytes, bearer: str = token) -> tuple[int, Any]:
        return asyncio.run(post(app, f"/board/{action}", content, authorization=f"Bearer {bearer}"))

    status, task_id = act("enqueue", '{"kind": "k", "payload": {"order": 17}}')
    assert status == 200
    status, (task,) = act("claim", "")
    assert (status, task["id"], task["leased_by"]) == (200, task_id, "agent-7")
    assert act("complete", f'{{"id": "{task_id}"}}') == (200, "completed")
    assert act("claim", "{}") == (200, [])
    assert act("claim", "{}", "board_found_this_link")[0] == 401
    assert act("cancel", f'{{"id": "{task_id}"}}')[0] == 403
    status, said = act("claim", '{"tll": "1 minute"}')
    assert (status, said["error"]) == (422, 'invalid value for argument "tll"')
    assert act("claim", "{")[0] == 400
    assert act("claim", b"\xff")[0] == 400
    assert act("complete", f'{{"id": "{uuid.uuid4()}"}}')[0] == 404
    assert act("heartbeat", f'{{"id": "{task_id}"}}') == (200, None)
    assert act("fail", f'{{"id": "{task_id}"}}')[0] == 409
    # Whatever is sent is the sender's fault, and the limits come before the token.
    digits = "7" * 6000
    status, odd = act("enqueue", f'{{"kind": "odd", "payload": {{"n": {digits}}}}}')
    assert status == 200
    status, (task,) = act("claim", '{"kinds": ["odd"]}')
    assert (status, task["id"], task["payload"]) == (200, odd, {"n": digits})
    deep = '{"kind": "k", "payload": ' + "[" * 300_000 + "]" * 300_000 + "}"
    assert act("enqueue", deep)[0] == 422
    for body in ("[]", '{"kind": "k", "payload": NaN}', '{"kind": "\0"}', "[" * 900_000):
        assert 400 <= act("enqueue", body)[0] < 500, body[:40]
    assert act("enqueue", " " * 1_100_000, "no token")[0] == 413
    assert act("enqueue", "{}", "x" * 5000)[0] == 401


def test_the_webhook_receiver_of_the_page(front: tuple[TestDb, Any]) -> None:
    database, app = front
    secret = "whsec_" + base64.b64encode(random.randbytes(32)).decode()
    database.one("SELECT board.import_signing_key('payments-inbound', %s)", secret)
    body = '{"paid": true, "note": "💸"}'
    headers = sent(secret, body)
    first = asyncio.run(post(app, "/hooks/payments", body, **headers))
    assert first[0] == 202
    assert asyncio.run(post(app, "/hooks/payments", body, **headers)) == first
    assert asyncio.run(post(app, "/hooks/payments", body + " ", **headers))[0] == 401
    assert asyncio.run(post(app, "/hooks/payments", b"\xff\xfe"))[0] == 401
    for odd in ("no JSON", "[" * 5000, '{"a": "\\u0000"}', "\0", '1, "kind": "x"'):
        headers = sent(secret, odd)
        assert 400 <= asyncio.run(post(app, "/hooks/payments", odd, **headers))[0] < 500, odd[:40]
    assert asyncio.run(post(app, "/hooks/payments", " " * 1_100_000))[0] == 413
    rows = database.rows("SELECT t.payload, t.correlation_id FROM board.tasks AS t")
    assert rows == [({"paid": True, "note": "💸"}, "msg_1")]
