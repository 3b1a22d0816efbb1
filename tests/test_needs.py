"""Tasks that wait for tasks: whatever happens to a graph, readiness has one truth.

One session does random things to random graphs and all invariants are looked at after every step;
then several processes do so at once, and the log has to show that nobody was early.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from typing import Any
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from tests.support.sources import ROOT
from tests.support.testdb import Connection, TestDb
from tests.support.workers import crew

# What must be true of every board at every moment; each query gives the tasks of which it is not.
INVARIANTS = {
    "a counter that is not the number of unmet needs": """
        SELECT t.id FROM board.tasks AS t
         WHERE t.unmet_needs <> (SELECT count(*) FROM board.task_needs AS n
                                  WHERE n.task_id = t.id AND n.met_at IS NULL)""",
    "blocked without a need": """
        SELECT t.id FROM board.tasks AS t WHERE t.status = 'blocked' AND t.unmet_needs = 0""",
    "claimable or held by an agent before its needs are done": """
        SELECT t.id FROM board.tasks AS t
         WHERE t.unmet_needs > 0 AND t.escalated_at IS NULL
           AND t.status IN ('pending', 'scheduled', 'in_progress')""",
    "unmet though it is completed": """
        SELECT n.task_id FROM board.task_needs AS n JOIN board.tasks AS t ON t.id = n.needs_id
         WHERE n.met_at IS NULL AND t.status = 'completed'""",
    "blocked by what was cancelled": """
        SELECT n.task_id FROM board.task_needs AS n
          JOIN board.tasks AS t ON t.id = n.needs_id
          JOIN board.tasks AS w ON w.id = n.task_id
         WHERE n.met_at IS NULL AND t.status = 'cancelled' AND w.status = 'blocked'""",
    "in the queue and blocked": """
        SELECT b.id FROM board.blocked AS b JOIN board.queue AS q ON q.id = b.id""",
    "blocked, and the view does not say so": """
        SELECT t.id FROM board.tasks AS t
         WHERE (t.status = 'blocked')
            <> EXISTS (SELECT FROM board.blocked AS b WHERE b.id = t.id)""",
    "blocked, and explain does not say so": """
        SELECT t.id FROM board.tasks AS t
         WHERE t.finished_at IS NULL
           AND (t.status = 'blocked') <> (board.explain(t.id) LIKE 'waits for %')""",
    "two of one sequence at once, and none of them was replayed": """
        SELECT min(t.id::text)::uuid FROM board.tasks AS t
         WHERE t.sequence_key IS NOT NULL AND t.status IN ('pending', 'scheduled', 'in_progress')
           AND NOT EXISTS (SELECT FROM board.task_events AS e
                            WHERE e.task_id = t.id AND e.type = 'replayed')
         GROUP BY t.kind, t.sequence_key HAVING count(*) > 1""",
}

# Claimed before a need was completed, by the wall clock of the log, written under the locks,
# so that what waited for a commit is later. A need given with release counts from then on.
EARLY = """
    SELECT count(*)
      FROM board.task_needs AS n
      JOIN board.task_events AS c ON c.task_id = n.task_id AND c.type = 'claimed'
      LEFT JOIN LATERAL (
           SELECT max(r.seq) AS seq FROM board.task_events AS r
            WHERE r.task_id = n.task_id AND r.type = 'released'
              AND r.payload -> 'needs' ? n.needs_id::text) AS given ON true
     WHERE n.needed
       AND c.seq > coalesce(given.seq, 0)
       AND NOT EXISTS (SELECT FROM board.task_events AS e
                        WHERE e.task_id = n.needs_id AND e.type = 'completed'
                          AND e.created_at < c.created_at)
       AND NOT EXISTS (SELECT FROM board.task_events AS e
                        WHERE e.task_id = n.task_id AND e.created_at < c.created_at
                          AND (e.type IN ('retried', 'replayed')
                               OR e.type = 'unblocked' AND e.payload ? 'dropped'))"""


def check(database: TestDb) -> None:
    for wrong, query in INVARIANTS.items():
        found = database.owner.execute(query).fetchall()
        assert not found, f"{wrong}: {found[:3]}"


def one(connection: Connection, query: str, *arguments: Any) -> Any:
    row = connection.execute(query, arguments).fetchone()
    return None if row is None else row[0]


class Player:
    """Does random things to a board, as agents and people would; refusals are part of the game."""

    def __init__(self, connection: Connection, name: str, rng: random.Random) -> None:
        self.connection = connection
        self.name = name
        self.rng = rng
        self.held: list[tuple[UUID, int]] = []
        self.seen: Counter[str] = Counter()

    def some(self, status: str | None = None) -> UUID | None:
        query = "SELECT t.id FROM board.tasks AS t"
        if status is not None:
            query += f" WHERE t.status = '{status}'"
        ids = [row[0] for row in self.connection.execute(query).fetchall()]
        return self.rng.choice(ids) if ids else None

    def step(self) -> None:
        act = self.rng.choices(
            (self.enqueue, self.plan, self.claim, self.finish, self.wait, self.people),
            (30, 6, 30, 30, 8, 14),
        )[0]
        try:
            act()
        except psycopg.Error as error:
            if error.sqlstate not in {"TB001", "TB002", "TB003", "22023", "40001"}:
                raise
            self.seen[error.sqlstate] += 1

    def enqueue(self) -> None:
        needs = {self.some() for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3)))} - {None}
        one(
            self.connection,
            "SELECT board.enqueue('g', needs => %s, sequence_key => %s, priority => %s)",
            sorted(needs, key=str) or None,
            self.rng.choice((None, None, None, "s1", "s2")),
            self.rng.randrange(3),
        )
        self.seen["enqueued"] += 1

    def plan(self) -> None:
        size = self.rng.randrange(2, 6)
        tasks = [
            {
                "name": str(n),
                "kind": "g",
                "needs": [str(m) for m in range(n) if self.rng.random() < 0.5],
            }
            for n in range(size)
        ]
        one(self.connection, "SELECT count(*) FROM board.enqueue_plan(%s)", Jsonb(tasks))
        self.seen["planned"] += size

    def claim(self) -> None:
        rows = self.connection.execute(
            "SELECT c.id, c.claim_count FROM board.claim(%s, '1 minute', max_tasks => %s) AS c",
            (self.name, self.rng.randrange(1, 4)),
        ).fetchall()
        self.held += [(row[0], row[1]) for row in rows]
        self.seen["claimed"] += len(rows)

    def finish(self) -> None:
        if not self.held:
            return
        task, attempt = self.held.pop(self.rng.randrange(len(self.held)))
        verb = self.rng.choices(
            ("complete", "fail", "escalate", "release", "complete_many"), (60, 10, 5, 5, 20)
        )[0]
        self.seen[verb] += 1
        if verb == "complete_many":
            ids = [task] + [held for held, _ in self.held[:2]]
            self.held = self.held[2:]
            self.connection.execute("SELECT board.complete_many(%s, %s)", (ids, self.name))
        else:
            one(
                self.connection,
                f"SELECT board.{verb}(%s, %s, attempt => %s)",
                task,
                self.name,
                attempt,
            )

    def wait(self) -> None:
        """Hand a task back until others are done: new parts, or anything on the board."""
        if not self.held:
            return
        task, attempt = self.held.pop()
        needs = [one(self.connection, "SELECT board.enqueue('g')") for _ in range(2)]
        other = self.some()
        if other is not None and self.rng.random() < 0.5:
            needs.append(other)
        one(
            self.connection,
            "SELECT board.release(%s, %s, needs => %s, attempt => %s)",
            task,
            self.name,
            needs,
            attempt,
        )
        self.seen["waited"] += 1

    def people(self) -> None:
        act = self.rng.choice(("cancel", "cancel", "downstream", "retry", "replay", "drop"))
        self.seen[act] += 1
        if act == "cancel":
            one(
                self.connection,
                "SELECT board.cancel(%s, 'olga')",
                self.some("blocked") or self.some(),
            )
        elif act == "downstream":
            one(self.connection, "SELECT board.cancel(%s, 'olga', dependents => true)", self.some())
        elif act == "retry":
            one(self.connection, "SELECT board.retry(%s, 'olga')", self.some("escalated"))
        elif act == "replay":
            done = self.some("completed") or self.some("cancelled")
            one(self.connection, "SELECT board.replay(%s, 'olga')", done)
        else:
            pairs = self.connection.execute(
                "SELECT n.task_id, n.needs_id FROM board.task_needs AS n WHERE NOT n.in_sequence"
            ).fetchall()
            if pairs:
                one(
                    self.connection,
                    "SELECT board.drop_need(%s, %s, 'olga')",
                    *self.rng.choice(pairs),
                )


@given(seed=st.integers(0, 2**32))
@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_random_graphs_in_one_session(board_db: TestDb, seed: int) -> None:
    board_db.silently(
        "UPDATE board.tasks SET finished_at = clock_timestamp(), status = 'cancelled'"
    )
    board_db.silently("DELETE FROM board.task_needs")
    board_db.silently("DELETE FROM board.tasks")
    player = Player(board_db.owner, "ann", random.Random(seed))
    for _ in range(120):
        player.step()
        if player.held and player.rng.random() < 0.1:
            lapsed, _ = player.rng.choice(player.held)
            board_db.silently(
                "UPDATE board.tasks AS t SET leased_until = clock_timestamp() - interval '1 hour',"
                " due_at = clock_timestamp() - interval '1 hour'"
                " WHERE t.id = %s AND t.status = 'in_progress' AND t.escalated_at IS NULL",
                lapsed,
            )
        check(board_db)


def play(dsn: str, agent: str, seed: int, steps: int) -> Counter[str]:
    """A process: random steps in a session of its own; any 40P01 fails it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        player = Player(connection, agent, random.Random(seed))
        for _ in range(steps):
            player.step()
        return player.seen


def finish_all(dsn: str, agent: str) -> int:
    """Work and let people decide until nothing is open."""
    done = 0
    with psycopg.connect(dsn, autocommit=True) as connection:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            rows = connection.execute(
                "SELECT board.complete(c.id, %s) FROM board.claim(%s, max_tasks => 50) AS c",
                (agent, agent),
            ).fetchall()
            done += len(rows)
            if not rows:
                connection.execute(
                    "SELECT board.retry(t.id, 'olga') FROM board.tasks AS t"
                    " WHERE t.status = 'escalated'"
                )
                if (
                    one(connection, "SELECT count(*) FROM board.tasks WHERE finished_at IS NULL")
                    == 0
                ):
                    break
    return done


def test_random_graphs_in_several_processes(board_db: TestDb) -> None:
    """No deadlock, no early claim, nothing left blocked whose needs are done."""
    players = [(board_db.dsn, f"agent-{n}", n, 120) for n in range(5)]
    with crew(play, players) as playing:
        seen: Counter[str] = sum(playing.results(), Counter())
    assert seen["completed"] + seen["complete"] > 50, seen
    check(board_db)
    assert board_db.one(EARLY) == 0
    # What they still held lapses; then everything can be brought to its end.
    board_db.silently(
        "UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 hour',"
        " due_at = CASE WHEN due_at IS NOT NULL THEN clock_timestamp() - interval '1 hour' END"
        " WHERE status = 'in_progress'"
    )
    board_db.owner.execute(
        "SELECT board.retry(t.id, 'olga') FROM board.tasks AS t"
        " WHERE t.status = 'in_progress' AND t.escalated_at IS NOT NULL"
    )
    finish_all(board_db.dsn, "last")
    left = board_db.rows(
        "SELECT t.status, board.explain(t.id) FROM board.tasks AS t WHERE t.finished_at IS NULL"
    )
    assert left == []
    check(board_db)


@pytest.mark.parametrize("waiting", [100, 10_000])
def test_completing_a_need_of_many_is_a_few_statements(board_db: TestDb, waiting: int) -> None:
    owner = board_db.owner
    need = one(owner, "SELECT board.enqueue('need')")
    owner.execute(
        "SELECT board.enqueue_plan((SELECT jsonb_agg(jsonb_build_object('name', 'w' || n,"
        " 'kind', 'w', 'needs', jsonb_build_array(%s::text))) FROM generate_series(1, %s) AS n))",
        (need, waiting),
    )
    held = one(owner, "SELECT c.id FROM board.claim('a', kinds => ARRAY['need']) AS c")
    other = one(owner, "SELECT board.enqueue('other')")
    with board_db.connect() as session, session.transaction():
        session.execute("SELECT board.complete(%s, 'a')", (held,))
        # The rows of nothing else are held: another agent works on.
        free = board_db.connect()
        assert one(free, "SELECT c.id FROM board.claim('b', kinds => ARRAY['other']) AS c") == other
        assert one(free, "SELECT board.complete(%s, 'b')", other) == "completed"
    assert board_db.one("SELECT count(*) FROM board.tasks WHERE status = 'pending'") == waiting
    assert (
        board_db.one("SELECT count(*) FROM board.task_events WHERE type = 'unblocked'") == waiting
    )


def test_claim_does_not_pay_for_blocked_tasks(board_db: TestDb) -> None:
    owner = board_db.owner

    def buffers() -> int:
        plan = one(
            owner,
            "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM board.claim('a', '1 minute')",
        )[0]["Plan"]
        return int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"])

    owner.execute("SELECT board.enqueue_many('k', array_fill('{}'::jsonb, ARRAY[50]))")
    for _ in range(10):
        before = buffers()
    need = one(owner, "SELECT board.enqueue('need', run_at => clock_timestamp() + '1 day')")
    owner.execute(
        "INSERT INTO board.tasks (kind, status, unmet_needs, rank, turn)"
        " SELECT 'k', 'blocked', 1, NULL, 0 FROM generate_series(1, 100000)"
    )
    owner.execute(
        "INSERT INTO board.task_needs (task_id, needs_id)"
        " SELECT t.id, %s FROM board.tasks AS t WHERE t.status = 'blocked'",
        (need,),
    )
    owner.execute("ANALYZE board.tasks")
    for _ in range(10):
        after = buffers()
    assert after <= before + 4, (before, after)


def test_the_example_plans_fans_out_and_joins(board_db: TestDb) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "fan_out.py"), board_db.dsn],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "has planned 4 parts" in done.stdout
    assert "has joined 4 parts" in done.stdout
    ((whole, result),) = board_db.rows(
        "SELECT t.id, t.result FROM board.tasks AS t WHERE t.kind = 'summary'"
    )
    assert result == {"words": 400}
    assert board_db.events(whole) == [
        "enqueued",
        "claimed",
        "released",
        "unblocked",
        "claimed",
        "completed",
    ]
