"""The announcements: one per transition, none after a rollback, whatever the names are."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from installer.server import Cluster, installations
from tests.support.script import board_script
from tests.support.servers import Server
from tests.support.testdb import Connection, TestDb, create_database


@pytest.fixture
def listener(board_db: TestDb) -> Connection:
    connection = board_db.connect(application_name="listener")
    connection.execute("LISTEN task_events")
    return connection


def heard(database: TestDb, listener: Connection) -> list[dict[str, Any]]:
    """Everything announced so far: a sentinel of our own is the end of it."""
    database.owner.execute("SELECT pg_notify('task_events', 'that was all')")
    found: list[dict[str, Any]] = []
    for notification in listener.notifies(timeout=10):
        if notification.payload == "that was all":
            return found
        assert len(notification.payload.encode()) < 8000
        found.append(json.loads(notification.payload))
    raise AssertionError("the sentinel did not arrive")


def life(database: TestDb) -> Iterator[tuple[str, Any]]:
    """Every sort of transition of one task, as (expected type, what the call gave)."""
    one = database.one
    task_id = one("SELECT board.enqueue('work')")
    yield "enqueued", task_id
    yield "reprioritized", one("SELECT board.reprioritize(%s, 'olga', 5)", task_id)
    yield "paused", one("SELECT board.pause('task:' || %s::text, 'olga')", task_id)
    yield "resumed", one("SELECT board.resume('task:' || %s::text, 'olga')", task_id)
    yield "claimed", one("SELECT c.id FROM board.claim('A') AS c")
    yield "released", one("SELECT board.release(%s, 'A')", task_id)
    yield "claimed", one("SELECT c.id FROM board.claim('A') AS c")
    yield "failed", one("SELECT board.fail(%s, 'A')", task_id)
    yield "claimed", one("SELECT c.id FROM board.claim('A') AS c")
    yield "escalated", one("SELECT board.escalate(%s, 'A')", task_id)
    yield "retried", one("SELECT board.retry(%s, 'olga')", task_id)
    yield "claimed", one("SELECT c.id FROM board.claim('A') AS c")
    yield "completed", one("SELECT board.complete(%s, 'A')", task_id)
    yield "replayed", one("SELECT board.replay(%s, 'olga')", task_id)
    yield "cancelled", one("SELECT board.cancel(%s, 'olga')", task_id)


def test_one_notification_for_each_transition(board_db: TestDb, listener: Connection) -> None:
    expected = [kind for kind, _ in life(board_db)]
    said = heard(board_db, listener)
    assert [one["type"] for one in said] == expected
    assert {one["taskId"] for one in said} == {
        str(board_db.one("SELECT t.id FROM board.tasks AS t"))
    }
    assert {one["kind"] for one in said} == {"work"}
    logged = board_db.rows("SELECT e.seq FROM board.task_events AS e ORDER BY e.seq")
    assert [(one["seq"],) for one in said] == logged


def test_a_lapse_is_announced_by_the_claim_that_finds_it(
    board_db: TestDb, listener: Connection
) -> None:
    task_id = board_db.one("SELECT board.enqueue('work')")
    board_db.owner.execute("SELECT board.claim('A')")
    heard(board_db, listener)
    board_db.age_lease(task_id)
    assert heard(board_db, listener) == []
    board_db.owner.execute("SELECT board.claim('B')")
    assert [one["type"] for one in heard(board_db, listener)] == ["expired", "claimed"]


@pytest.mark.parametrize("mode", ["each", "coalesced", "off"])
def test_an_operator_who_makes_work_claimable_wakes_the_agents(
    board_db: TestDb, listener: Connection, mode: str
) -> None:
    """No task changes when a pause ends: an agent asleep until next_due, NULL, must be told."""
    one = board_db.one
    one("SELECT board.configure(notify => %s)", mode)
    board_db.owner.execute("SELECT board.enqueue('work')")
    one("SELECT board.pause('kind:work', 'olga')")
    assert one("SELECT board.next_due()") is None
    heard(board_db, listener)
    one("SELECT board.resume('kind:work', 'olga')")
    doorbell = {"taskId": None, "type": "doorbell", "kind": None, "seq": None}
    assert heard(board_db, listener) == ([] if mode == "off" else [doorbell])
    one("SELECT board.pause('kind:other', 'olga')")
    assert heard(board_db, listener) == []


def test_nothing_after_a_rollback(board_db: TestDb, listener: Connection) -> None:
    agent = board_db.connect(autocommit=False)
    agent.execute("SELECT board.enqueue('work')")
    agent.execute("SELECT board.claim('A')")
    agent.rollback()
    agent.execute("SELECT board.enqueue('work')")
    agent.execute("SAVEPOINT s")
    agent.execute("SELECT board.claim('A')")
    agent.execute("ROLLBACK TO SAVEPOINT s")
    agent.commit()
    assert [one["type"] for one in heard(board_db, listener)] == ["enqueued"]


def test_a_heartbeat_is_a_transition_unless_it_is_not_logged(
    board_db: TestDb, listener: Connection
) -> None:
    task_id = board_db.one("SELECT board.enqueue('work')")
    board_db.owner.execute("SELECT board.claim('A')")
    heard(board_db, listener)
    board_db.owner.execute("SELECT board.heartbeat(%s, 'A')", (task_id,))
    assert [one["type"] for one in heard(board_db, listener)] == ["extended"]
    board_db.owner.execute("SELECT board.configure(log_heartbeats => false)")
    board_db.owner.execute("SELECT board.heartbeat(%s, 'A')", (task_id,))
    assert heard(board_db, listener) == []


ODD_NAMES = [
    pytest.param("x" * 200, id="200 letters"),
    pytest.param("\U0001f9ea" * 200, id="200 characters of four bytes"),
    pytest.param('"' * 200, id="200 quotes, each two bytes in JSON"),
    pytest.param("\\" * 200, id="200 backslashes"),
    pytest.param("'; DROP TABLE board.tasks; --", id="injection"),
    pytest.param("a b/c:d%s {}", id="signs"),
    pytest.param("e\u0301\u0323", id="marks that combine"),
]


@pytest.mark.parametrize("kind", ODD_NAMES)
def test_kinds_and_payloads_of_any_sort(board_db: TestDb, listener: Connection, kind: str) -> None:
    big = json.dumps({"text": '\u00e9\\"' * 100_000, "kind": kind})
    owner = board_db.owner
    task_id = owner.execute("SELECT board.enqueue(%s, %s::jsonb)", (kind, big)).fetchall()[0][0]
    owner.execute("SELECT board.claim(%s)", (kind,))
    owner.execute("SELECT board.complete(%s, %s, %s::jsonb)", (task_id, kind, big))
    said = heard(board_db, listener)
    assert [one["type"] for one in said] == ["enqueued", "claimed", "completed"]
    assert {one["taskId"] for one in said} == {str(task_id)}
    # A kind may be cut, as long as the whole stays under PostgreSQL's 8,000 bytes.
    assert all(kind.startswith(one["kind"]) for one in said)


def test_off_says_nothing(board_db: TestDb, listener: Connection) -> None:
    board_db.owner.execute("SELECT board.configure(notify => 'off')")
    assert len(list(life(board_db))) == 15
    assert heard(board_db, listener) == []


def test_off_can_be_prepared(board_db: TestDb) -> None:
    """Two-phase commit refuses NOTIFY; with `off` it works."""
    two_phase = board_db.connect(autocommit=False)
    two_phase.execute("SELECT board.enqueue('work')")
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        two_phase.execute("PREPARE TRANSACTION 'refused'")
    two_phase.rollback()
    board_db.owner.execute("SELECT board.configure(notify => 'off')")
    two_phase.execute("SELECT board.enqueue('work')")
    two_phase.execute("PREPARE TRANSACTION 'accepted'")
    two_phase.commit()
    board_db.owner.execute("COMMIT PREPARED 'accepted'")
    assert board_db.one("SELECT count(*) FROM board.tasks") == 1


def test_coalesced_rings_and_names_what_became_claimable(
    board_db: TestDb, listener: Connection
) -> None:
    """One doorbell at least per quiet moment; what wakes an idle agent is announced one by one."""
    board_db.owner.execute("SELECT board.configure(notify => 'coalesced')")
    task_id: UUID = board_db.one("SELECT board.enqueue('work')")
    said = heard(board_db, listener)
    assert [one.get("taskId") for one in said if one.get("type") == "enqueued"] == [str(task_id)]
    board_db.owner.execute("SELECT board.claim('A')")
    assert len(heard(board_db, listener)) >= 1, "no doorbell"
    board_db.owner.execute("SELECT board.release(%s, 'A')", (task_id,))
    said = heard(board_db, listener)
    assert [one.get("taskId") for one in said if one.get("type") == "released"] == [str(task_id)]


def test_coalesced_calls_idle_agents_while_another_rings(
    board_db: TestDb, listener: Connection
) -> None:
    """Somebody holds the bell and may have rung it already: what wakes an agent is told anyway."""
    board_db.owner.execute("SELECT board.configure(notify => 'coalesced')")
    board_db.owner.execute("SELECT board.configure_kind('capped', max_in_progress => 5)")
    heard(board_db, listener)
    ringer = board_db.connect(autocommit=False)
    ringer.execute("SELECT FROM board.doorbells FOR UPDATE")
    said = []
    for kind in ("work", "capped"):
        task_id = board_db.one("SELECT board.enqueue(%s)", kind)
        board_db.owner.execute("SELECT board.claim('A')")
        board_db.owner.execute("SELECT board.fail(%s, 'A')", (task_id,))
        board_db.owner.execute("SELECT board.claim('A')")
        board_db.age_lease(task_id)
        board_db.owner.execute("SELECT board.claim('B')")
        board_db.owner.execute("SELECT board.release(%s, 'B')", (task_id,))
        board_db.owner.execute("SELECT board.claim('A')")
        board_db.owner.execute("SELECT board.complete(%s, 'A')", (task_id,))
        said.append([one["type"] for one in heard(board_db, listener)])
    # Only where a cap holds others back does an end make something claimable.
    calls = ["enqueued", "failed", "expired", "released"]
    assert said == [calls, [*calls, "completed"]]


def test_coalesced_survives_a_ringer_that_rolls_back(
    board_db: TestDb, listener: Connection
) -> None:
    """A transaction that is undone must not take another one's announcement with it."""
    board_db.owner.execute("SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[2]))")
    board_db.owner.execute("SELECT board.configure(notify => 'coalesced')")
    heard(board_db, listener)
    undone = board_db.connect(autocommit=False)
    undone.execute("SELECT board.claim('A')")
    board_db.owner.execute("SELECT board.claim('B')")
    undone.rollback()
    assert len(heard(board_db, listener)) >= 1


def test_coalesced_leaves_it_to_who_is_ringing(board_db: TestDb, listener: Connection) -> None:
    """While another transaction has the bell, what wakes nobody rings no second one."""
    task_id = board_db.one("SELECT board.enqueue('work')")
    board_db.owner.execute("SELECT board.configure(notify => 'coalesced')")
    heard(board_db, listener)
    ringer = board_db.connect(autocommit=False)
    ringer.execute("SELECT FROM board.doorbells FOR UPDATE")
    board_db.owner.execute("SELECT board.claim('A')")
    assert heard(board_db, listener) == []
    ringer.rollback()
    board_db.owner.execute("SELECT board.complete(%s, 'A')", (task_id,))
    assert [one["type"] for one in heard(board_db, listener)] == ["doorbell"]


def test_nobody_outside_can_hold_the_bell(board_db: TestDb, listener: Connection) -> None:
    """A role with no right on the board takes every lock that is free to all: the bell rings."""
    board_db.owner.execute("SELECT board.enqueue('work')")
    board_db.owner.execute("SELECT board.configure(notify => 'coalesced')")
    heard(board_db, listener)
    relations = [
        row[0]
        for row in board_db.rows(
            "SELECT c.oid::int FROM pg_class AS c WHERE c.relnamespace = 'board'::regnamespace"
        )
    ]
    outsider = board_db.connect(autocommit=False, role="pg_monitor")
    for relation in relations:
        outsider.execute("SELECT pg_advisory_xact_lock(%s, 1)", (relation,))
    board_db.owner.execute("SELECT board.claim('A')")
    assert [one["type"] for one in heard(board_db, listener)] == ["doorbell"]
    outsider.rollback()
    for role in ("pg_monitor", "board_viewer", "board_agent", "board_admin", "board_gateway"):
        somebody = board_db.connect(autocommit=False, role=role)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            somebody.execute("SELECT FROM board.doorbells FOR UPDATE")
        somebody.rollback()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            somebody.execute("LOCK TABLE board.doorbells IN ACCESS SHARE MODE")
        somebody.rollback()


def test_an_agent_that_rings_early_and_stays_open_silences_a_second_at_most(
    board_db: TestDb, listener: Connection
) -> None:
    """SET CONSTRAINTS brings the deferred trigger forward, and its lock lasts until the end."""
    board_db.owner.execute("SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[9]))")
    board_db.owner.execute("SELECT board.configure(notify => 'coalesced')")
    heard(board_db, listener)
    for early in ("before", "after"):
        lingerer = board_db.connect(autocommit=False)
        if early == "before":
            lingerer.execute("SET CONSTRAINTS ALL IMMEDIATE")
        lingerer.execute("SELECT board.claim('A')")
        if early == "after":
            lingerer.execute("SET CONSTRAINTS ALL IMMEDIATE")
        held = "SELECT count(*) FROM board.doorbells AS d WHERE d.xmax::text <> '0'"
        assert board_db.one(held) == 1
        board_db.wait_for(
            "SELECT NOT EXISTS (SELECT FROM board.doorbells AS d WHERE d.xmax::text <> '0'"
            " AND d.second = extract(second FROM clock_timestamp())::int % 60)"
        )
        board_db.owner.execute("SELECT board.claim('B')")
        assert [one["type"] for one in heard(board_db, listener)] == ["doorbell"]
        lingerer.rollback()
        # A lock that was only taken and given up leaves its mark in xmax: start anew.
        board_db.owner.execute("UPDATE board.doorbells SET second = second")


def shout_for_ever(connection: Connection) -> None:
    while True:
        connection.execute("SELECT pg_notify('noise', repeat('x', 7000))")


@pytest.fixture
def full_queue() -> Iterator[TestDb]:
    """A board on a server whose NOTIFY queue a listener in another database has let fill up."""
    installation = installations()[-1]
    if installation.major < 17:
        pytest.skip(f"{installation.label} has no small NOTIFY queue (from 17 on): 8 GB to fill")
    cluster = Cluster(installation, {"max_notify_queue_pages": "64"}).start()
    try:
        server = Server(cluster.dsn(), "own", cluster=cluster)
        elsewhere = TestDb(server, create_database(server, "elsewhere"))
        board = TestDb(server, "postgres")
        board.owner.execute(board_script().encode())
        if patch := os.environ.get("BOARD_TEST_PATCH"):
            board.owner.execute(Path(patch).read_bytes())
        asleep = elsewhere.connect()
        asleep.execute("LISTEN nothing")
        asleep.execute("BEGIN")
        with pytest.raises(psycopg.errors.ProgramLimitExceeded):
            shout_for_ever(elsewhere.owner)
        yield board
        elsewhere.close()
        board.close()
    finally:
        cluster.remove()


@pytest.mark.parametrize("mode", ["each", "coalesced"])
def test_a_full_queue_fails_no_verb(full_queue: TestDb, mode: str) -> None:
    """A hint that cannot be given must not undo the work; health tells why nobody is woken."""
    full_queue.one("SELECT board.configure(notify => %s)", mode)
    assert len(list(life(full_queue))) == 15
    full_queue.one("SELECT board.pause('kind:work', 'olga')")
    full_queue.one("SELECT board.resume('kind:work', 'olga')")
    assert full_queue.one("SELECT h.notify_queue > 0.9 FROM board.health AS h")


def test_a_queue_that_was_full_is_used_again(full_queue: TestDb) -> None:
    full_queue.one("SELECT board.enqueue('unheard')")
    full_queue.owner.execute(
        "SELECT pg_terminate_backend(a.pid, 10000) FROM pg_stat_activity AS a"
        " WHERE a.state = 'idle in transaction'"
    )
    full_queue.wait_for("SELECT h.notify_queue < 0.9 FROM board.health AS h")
    listener = full_queue.connect()
    listener.execute("LISTEN task_events")
    full_queue.one("SELECT board.enqueue('heard')")
    assert [one["kind"] for one in heard(full_queue, listener)] == ["heard"]
