"""The example agents, as a user would run them, against a real provider."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.json import Jsonb

from tests.support.provider import Provider, running
from tests.support.testdb import TestDb

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
PAYLOADS: list[Any] = [
    {"to": "ann", "cents": 1700},
    {"to": "@home -- 'quoted' \"twice\" \\ back", "cents": [1.5, None, True]},
    {"to": "東京 🦀 %s :'agent'", "note": "line\nbreak\ttab"},
]
SHELL_NEEDS = ("sh", "psql", "curl")


@pytest.fixture(params=["agent.py", "agent.sh"])
def command(request: pytest.FixtureRequest) -> list[str]:
    example = EXAMPLES / request.param
    if example.suffix == ".py":
        return [sys.executable, str(example)]
    missing = [program for program in SHELL_NEEDS if shutil.which(program) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    return ["sh", str(example)]


@pytest.fixture
def pay(board_db: TestDb) -> Iterator[Provider]:
    """Kind "charge" goes to this provider, signed."""
    with running(Provider()) as provider:
        provider.secret = board_db.one("SELECT board.create_signing_key('pay')")
        board_db.owner.execute(
            "SELECT board.configure_provider('pay', base_url => %s, honours_idempotency => true,"
            " signing_key => 'pay')",
            [provider.url],
        )
        board_db.owner.execute("SELECT board.configure_kind('charge', provider => 'pay')")
        yield provider


@contextmanager
def at_work(db: TestDb, command: list[str], name: str) -> Iterator[subprocess.Popen[bytes]]:
    """The agent with nothing but the rights of an agent; it and its children end with the block."""
    where = conninfo_to_dict(db.dsn)
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD"}
    environment = {variable: str(where[key]) for key, variable in names.items() if key in where}
    environment |= {"PGDATABASE": db.name, "PGOPTIONS": "-c role=board_agent", "AGENT": name}
    agent = subprocess.Popen(command, env={**os.environ, **environment}, start_new_session=True)
    try:
        yield agent
    finally:
        os.killpg(agent.pid, signal.SIGKILL)
        agent.wait(timeout=20)


def wait_until_all(db: TestDb, status: str) -> None:
    db.wait_for("SELECT bool_and(t.status = %s) FROM board.tasks AS t", status, seconds=60)


def test_charges_each_once(board_db: TestDb, command: list[str], pay: Provider) -> None:
    for payload in PAYLOADS[:2]:
        board_db.owner.execute("SELECT board.enqueue('charge', %s)", [Jsonb(payload)])
    with at_work(board_db, command, "one"):
        wait_until_all(board_db, "completed")
        # It sleeps now, and wakes up.
        board_db.owner.execute("SELECT board.enqueue('charge', %s)", [Jsonb(PAYLOADS[2])])
        wait_until_all(board_db, "completed")

    assert pay.effects == PAYLOADS
    assert len(pay.requests) == len(PAYLOADS)
    assert board_db.rows(
        "SELECT t.result, c.response, c.agent, c.body FROM board.tasks AS t"
        " JOIN board.calls AS c ON c.task_id = t.id ORDER BY t.id"
    ) == [
        ({"charge": f"ch_{n}"}, {"charge": f"ch_{n}"}, "one", request.body.decode())
        for n, request in enumerate(pay.requests, start=1)
    ]


def test_killed_and_followed_by_another(
    board_db: TestDb, command: list[str], pay: Provider
) -> None:
    task = board_db.one("SELECT board.enqueue('charge', %s)", Jsonb(PAYLOADS[0]))
    pay.silent.set()
    with at_work(board_db, command, "one"):
        pay.wait_for_requests(1, seconds=60)
    pay.silent.clear()
    board_db.age_lease(task)
    with at_work(board_db, command, "two"):
        wait_until_all(board_db, "completed")

    assert pay.effects == [PAYLOADS[0]]
    assert len(pay.requests) == 2


def test_refused(board_db: TestDb, command: list[str], pay: Provider) -> None:
    """A refusal is a failure that is known: tried three times, then a person's."""
    pay.status = 402
    board_db.owner.execute("SELECT board.enqueue('charge', %s)", [Jsonb(PAYLOADS[0])])
    with at_work(board_db, command, "one"):
        wait_until_all(board_db, "escalated")

    assert pay.effects == []
    assert board_db.rows(
        "SELECT c.succeeded, c.response, c.attempt FROM board.calls AS c ORDER BY c.number"
    ) == [(False, {"refused": 402}, attempt) for attempt in (1, 2, 3)]


def answer(status: str, body: bytes = b"", *headers: str) -> bytes:
    """An answer, byte for byte."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def odd_answers(url: str) -> list[bytes]:
    """What a provider, or what stands in front of it, may say instead of an answer."""
    redirects = [
        answer(f"{status} Elsewhere", b'{"charge": "redirect"}', f"Location: {url}/elsewhere")
        for status in (301, 302, 303, 307, 308)
    ]
    return [
        *redirects,
        b"",
        b"not HTTP at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        answer("200 OK", b"<html>signed in as nobody</html>"),
        answer("200 OK", b""),
        answer("200 OK", b'{"n": NaN}'),
        answer("200 OK", b'{"n": "\\ud800"}'),
        answer("200 OK", b'{"n": "\xff"}'),
        answer("200 OK", b'{"n": "\0"}'),
        answer("200 OK", b"[" * 200_000),
        answer("200 OK", b'["' + b"x" * 3_000_000 + b'"]'),
        answer("500 Internal Server Error", b"\0\xff\xed\xa0\x80"),
        answer("999 What"),
    ]


def test_odd_answers_end_no_agent(board_db: TestDb, command: list[str], pay: Provider) -> None:
    """Each is a strike and no outcome; none is taken for success; then comes a real answer."""
    odd = odd_answers(pay.url)
    board_db.one("SELECT (board.configure_kind('charge', max_failures => 100)).name")
    task = board_db.one("SELECT board.enqueue('charge', %s)", Jsonb(PAYLOADS[0]))
    pay.raw.extend(odd)
    with at_work(board_db, command, "one") as agent:
        board_db.wait_for(
            "SELECT t.status IN ('completed', 'escalated') FROM board.tasks AS t WHERE t.id = %s",
            task,
            seconds=90,
        )
        assert agent.poll() is None
    # Whatever a reader of JSON makes of the odd ones, none of them was a redirect's answer.
    status, result = board_db.rows("SELECT t.status, t.result FROM board.tasks AS t")[0]
    assert status == "completed"
    assert "redirect" not in str(result)
    assert not [request for request in pay.requests if request.path.endswith("/elsewhere")]
    if not pay.raw:
        assert len(pay.effects) <= 1


def test_told_to_wait_is_no_strike(board_db: TestDb, command: list[str], pay: Provider) -> None:
    """429: nothing more to that provider until then, and the task goes back as it was."""
    pay.raw.extend(
        [
            answer("429 Too Many Requests", b"slow down", "Retry-After: 1"),
            answer("429 Too Many Requests", b"", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"),
        ]
    )
    board_db.one("SELECT board.enqueue('charge', %s)", Jsonb(PAYLOADS[0]))
    with at_work(board_db, command, "one"):
        pay.wait_for_requests(1, seconds=60)
        board_db.wait_for(
            "SELECT count(*) > 0 FROM board.audit_log AS a WHERE a.action = 'throttle'"
        )
        # The date is long past: at once, or in a minute where dates are not read.
        pay.wait_for_requests(2, seconds=60)
        board_db.wait_for(
            "SELECT count(*) > 1 FROM board.audit_log AS a WHERE a.action = 'throttle'"
        )
        board_db.wait_for("SELECT bool_and(t.status <> 'in_progress') FROM board.tasks AS t")
        board_db.owner.execute("SELECT board.unthrottle('pay')")
        board_db.silently(
            "UPDATE board.tasks SET run_at = clock_timestamp() - interval '1 s',"
            " due_at = clock_timestamp() - interval '1 s' WHERE status = 'scheduled'"
        )
        board_db.owner.execute("SELECT board.enqueue('charge', %s)", [Jsonb(PAYLOADS[1])])
        wait_until_all(board_db, "completed")
    assert board_db.rows("SELECT DISTINCT t.failure_count FROM board.tasks AS t") == [(0,)]
    assert "failed" not in [row[0] for row in board_db.rows("SELECT type FROM board.task_events")]
    assert sorted(map(str, pay.effects)) == sorted(map(str, PAYLOADS[:2]))


def test_a_nul_in_an_answer_is_replaced(
    board_db: TestDb, command: list[str], pay: Provider
) -> None:
    pay.raw.append(answer("200 OK", b'{"charge": "ch_\\u0000_1"}'))
    board_db.one("SELECT board.enqueue('charge', %s)", Jsonb(PAYLOADS[0]))
    with at_work(board_db, command, "one"):
        wait_until_all(board_db, "completed")
    assert board_db.rows("SELECT t.result, t.failure_count FROM board.tasks AS t") == [
        ({"charge": "ch_\ufffd_1"}, 0)
    ]


def test_odd_tasks_end_no_agent(board_db: TestDb, command: list[str], pay: Provider) -> None:
    """Numbers and depths that a reader of JSON gives up on."""
    for value in ("7" * 6000, "[" * 980 + "]" * 980, f'{{"n": {"7" * 6000}}}'):
        task = board_db.one("SELECT board.enqueue('charge', %s)", Jsonb(PAYLOADS[0]))
        board_db.silently("UPDATE board.tasks SET progress = %s WHERE id = %s", value, task)
    number = board_db.one("SELECT board.enqueue('charge', %s)", '{"n": ' + "7" * 6000 + "}")
    with at_work(board_db, command, "one"):
        wait_until_all(board_db, "completed")
    assert len(pay.requests) == 4
    assert board_db.one(
        "SELECT count(*) FROM board.calls AS c WHERE c.task_id = %s AND c.body LIKE '%%7777%%'",
        number,
    )


def test_the_shell_agent_without_a_server_stops_and_says_so(tmp_path: Path) -> None:
    missing = [program for program in SHELL_NEEDS if shutil.which(program) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    done = subprocess.run(
        ["sh", str(EXAMPLES / "agent.sh")],
        env={**os.environ, "PGHOST": str(tmp_path), "PGDATABASE": "nowhere"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 1
    assert "agent.sh: no board to work for" in done.stderr


def test_rehearses(board_db: TestDb, command: list[str], pay: Provider) -> None:
    board_db.owner.execute("SELECT board.enqueue('charge', %s)", [Jsonb(PAYLOADS[0])])
    board_db.owner.execute("UPDATE board.kinds SET mode = 'dry_run'")
    with at_work(board_db, command, "one"):
        wait_until_all(board_db, "completed")

    assert pay.requests == []
    assert board_db.rows("SELECT c.decision FROM board.calls AS c") == [("suppress",)]


def test_the_manual(board_db: TestDb, tmp_path: Path) -> None:
    """The SQL of docs/calls.md runs as it stands."""
    if shutil.which("psql") is None:
        pytest.skip("needs psql")
    text = (EXAMPLES.parent / "docs" / "calls.md").read_text()
    blocks = re.findall(r"```sql\n(.*?)```", text, flags=re.DOTALL)
    script = tmp_path / "calls.sql"
    script.write_text("\n".join(blocks))
    ran = subprocess.run(
        ["psql", board_db.dsn, "-XAt", "-v", "ON_ERROR_STOP=1", "-f", script],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    for word in ("decision|send", "recorded", "completed", "agent-7 sends step", "pending"):
        assert word in ran.stdout
