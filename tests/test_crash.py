"""Things die: an agent by SIGKILL in mid-task, the whole server at once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import psycopg
import pytest

from installer.server import Cluster, installations
from tests.support.leases import assert_leases_never_overlapped
from tests.support.script import board_script
from tests.support.servers import Server
from tests.support.testdb import TestDb
from tests.support.workers import crew


def die_holding(dsn: str, agent: str, ttl: str) -> None:
    """Claim a task, send a heartbeat, and be gone without a word."""
    connection = psycopg.connect(dsn, autocommit=True)
    row = connection.execute(
        "SELECT c.id FROM board.claim(%s, %s::interval) AS c", (agent, ttl)
    ).fetchone()
    assert row is not None
    connection.execute("SELECT board.heartbeat(%s, %s, %s::interval)", (row[0], agent, ttl))
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_agents_task_is_finished_by_another(board_db: TestDb) -> None:
    task_id = board_db.one("SELECT board.enqueue('work')")
    with crew(die_holding, [(board_db.dsn, "mortal", "700 milliseconds")]) as agents:
        for process in agents.processes:
            process.join(30)
        assert [process.exitcode for process in agents.processes] == [-signal.SIGKILL]
    # Nobody tells the board. The lease runs out, and next_due says when.
    due = board_db.one("SELECT extract(epoch FROM board.next_due())::float8")
    time.sleep(max(0.0, due - time.time()) + 0.01)
    assert board_db.one("SELECT c.claim_count FROM board.claim('heir') AS c") == 2
    assert board_db.one("SELECT board.complete(%s, 'heir')", task_id) == "completed"
    happened = [one for one in board_db.events(task_id) if one != "extended"]
    assert happened == ["enqueued", "claimed", "expired", "claimed", "completed"]
    assert_leases_never_overlapped(board_db)


@pytest.fixture
def mortal_db() -> Iterator[TestDb]:
    """A board on a server of its own, which this test may bring down; it syncs as a real one."""
    cluster = Cluster(installations()[-1], {"fsync": "on", "synchronous_commit": "on"}).start()
    try:
        with psycopg.connect(cluster.dsn()) as connection:
            connection.execute(board_script().encode())
        database = TestDb(Server(cluster.dsn(), "own", cluster=cluster), "postgres")
        yield database
        database.close()
    finally:
        cluster.remove()


def test_the_server_dies_at_once_and_comes_back(mortal_db: TestDb) -> None:
    """What was committed is there, what was not is not; leases go on; no fence goes back."""
    owner = mortal_db.owner
    owner.execute("SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[5]))")
    held = mortal_db.one("SELECT c.id FROM board.claim('A', '1 hour') AS c")
    cursor = mortal_db.one("SELECT board.latest_cursor()")
    done = mortal_db.one("SELECT c.id FROM board.claim('A', '1 hour') AS c")
    owner.execute("SELECT board.complete(%s, 'A')", (done,))
    before = mortal_db.one("SELECT max(e.seq) FROM board.task_events AS e")
    lost = mortal_db.connect(autocommit=False)
    lost.execute("SELECT board.claim('B')")

    cluster = mortal_db.server.cluster
    assert cluster is not None
    cluster.restart(signal.SIGQUIT)
    mortal_db.close()
    back = TestDb(mortal_db.server, "postgres")
    try:
        assert back.rows(
            "SELECT t.status, count(*) FROM board.tasks AS t GROUP BY 1 ORDER BY 1"
        ) == [
            ("completed", 1),
            ("in_progress", 1),
            ("pending", 3),
        ]
        # The feed goes on: a reader that had seen all but the last claim and its end gets both.
        missed = back.rows("SELECT f.task_id, f.type FROM board.events_since(%s) AS f", cursor)
        assert missed == [(done, "claimed"), (done, "completed")]
        # The lease that was held is held; a new event has a higher seq than any before.
        assert back.one("SELECT board.complete(%s, 'A', attempt => 1)", held) == "completed"
        assert back.one("SELECT max(e.seq) FROM board.task_events AS e") > before
        assert back.one("SELECT count(*) FROM board.claim('B', max_tasks => 10)") == 3
        assert_leases_never_overlapped(back)
    finally:
        back.close()
