"""claim under the planner's worst moods, and how little it looks at."""

from __future__ import annotations

import pytest

from tests.support.testdb import Connection, TestDb

BAD_PLANS = " ".join(
    f"-c {name}=off"
    for name in (
        "enable_hashjoin",
        "enable_mergejoin",
        "enable_material",
        "enable_hashagg",
        "enable_sort",
    )
)


def fill(database: TestDb, kind: str, tasks: int, priority: int = 0) -> None:
    database.owner.execute(
        "SELECT board.enqueue_many(%s, array_fill('{}'::jsonb, ARRAY[%s]), %s)",
        (kind, tasks, priority),
    )


@pytest.mark.parametrize("cache", ["auto", "force_generic_plan", "force_custom_plan"])
@pytest.mark.parametrize("extra", ["", " -c enable_indexscan=off -c enable_bitmapscan=off"])
def test_one_claim_takes_one_task_under_forced_bad_plans(
    board_db: TestDb, cache: str, extra: str
) -> None:
    """A nested loop around FOR UPDATE SKIP LOCKED LIMIT 1 would lock a row per loop."""
    board_db.owner.execute("ALTER TABLE board.tasks SET (autovacuum_enabled = off)")
    # Statistics of an empty table, for a thousand rows.
    board_db.owner.execute("ANALYZE board.tasks")
    fill(board_db, "work", 1000)
    agent = board_db.connect(options=f"{BAD_PLANS} -c plan_cache_mode={cache}{extra}")
    for _ in range(8):
        assert len(agent.execute("SELECT * FROM board.claim('A')").fetchall()) == 1
    assert len(agent.execute("SELECT * FROM board.claim('A', max_tasks => 3)").fetchall()) == 3
    assert (
        board_db.one("SELECT count(*) FROM board.tasks AS t WHERE t.status = 'in_progress'") == 11
    )
    assert board_db.one("SELECT max(t.claim_count) FROM board.tasks AS t") == 1


def buffers(connection: Connection, query: str) -> int:
    """Buffers that one execution touches, the functions inside it included."""
    with connection.transaction(force_rollback=True):
        row = connection.execute(
            f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {query}".encode()
        ).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def warm_buffers(connection: Connection, query: str) -> int:
    """The same once caches and plans are warm."""
    return min(buffers(connection, query) for _ in range(7))


def test_a_paused_kind_costs_a_claim_nothing(board_db: TestDb) -> None:
    """However many tasks of a paused kind stand before the others: a hundred are passed over."""
    fill(board_db, "open", 20)
    board_db.owner.execute("SELECT board.pause('kind:closed', 'olga', 'month end')")
    agent = board_db.connect()
    alone = warm_buffers(agent, "SELECT * FROM board.claim('A')")
    fill(board_db, "closed", 1000, priority=100)
    board_db.owner.execute("ANALYZE board.tasks")
    crowded = warm_buffers(agent, "SELECT * FROM board.claim('A')")
    assert agent.execute("SELECT c.kind FROM board.claim('A') AS c").fetchall() == [("open",)]
    fill(board_db, "closed", 9000, priority=100)
    more = warm_buffers(agent, "SELECT * FROM board.claim('A')")
    assert crowded <= alone + 150, f"{alone} buffers alone, {crowded} with 1,000 paused tasks"
    assert more <= crowded + 10, f"{crowded} buffers with 1,000 paused tasks, {more} with 10,000"


@pytest.mark.parametrize(
    "what", ["pause('kind:other{}', 'olga')", "configure_kind('other{}', max_in_progress => 1)"]
)
def test_policy_of_kinds_without_tasks_costs_a_claim_nothing(board_db: TestDb, what: str) -> None:
    """200 kinds that are paused or capped, and of which nothing is on the board."""
    fill(board_db, "open", 200)
    agent = board_db.connect()
    alone = warm_buffers(agent, "SELECT * FROM board.claim('A')")
    for n in range(200):
        board_db.owner.execute(f"SELECT board.{what.format(n)}".encode())
    board_db.owner.execute("VACUUM FULL board.settings")
    board_db.owner.execute("VACUUM board.tasks")
    with agent.transaction():
        agent.execute("SELECT FROM board.claim('A')")
        looked_at = agent.execute("SELECT board._walked()").fetchone()
    assert looked_at is not None
    assert looked_at[0] <= 10, f"{looked_at[0]} entries of the queue read"
    policy = warm_buffers(agent, "SELECT * FROM board.claim('A')")
    assert policy <= alone + 10, f"{alone} buffers alone, {policy} with the policy of 200 kinds"


@pytest.mark.parametrize("kinds", ["NULL", "ARRAY['kind1']"])
def test_the_number_of_kinds_costs_a_claim_nothing(board_db: TestDb, kinds: str) -> None:
    """One kind, 2,000 live ones, 2,000 names of kinds whose tasks are gone."""
    query = f"SELECT * FROM board.claim('A', kinds => {kinds})"
    owner, agent = board_db.owner, board_db.connect()
    fill(board_db, "kind1", 20)
    alone = warm_buffers(agent, query)
    owner.execute("SELECT board.enqueue('kind' || n) FROM generate_series(2, 2000) AS n")
    owner.execute("VACUUM ANALYZE board.tasks")
    many = warm_buffers(agent, query)
    owner.execute("SELECT board.cancel(t.id, 'olga') FROM board.tasks AS t WHERE t.kind <> 'kind1'")
    owner.execute("VACUUM ANALYZE board.tasks")
    gone = warm_buffers(agent, query)
    assert many <= alone + 10, f"{alone} buffers with one kind, {many} with 2,000"
    assert gone <= alone + 10, f"{alone} buffers with one kind, {gone} among 2,000 dead names"
    assert board_db.one("SELECT count(*) FROM board.kind_names") == 2000
    owner.execute("SELECT board.prune('0')")
    assert board_db.rows("SELECT n.name FROM board.kind_names AS n") == [("kind1",)]


def test_scheduled_leased_and_finished_tasks_cost_a_claim_nothing(board_db: TestDb) -> None:
    """Bounded work: what cannot be claimed is not looked at."""
    fill(board_db, "work", 1)
    agent = board_db.connect()
    alone = warm_buffers(agent, "SELECT * FROM board.claim('A')")
    board_db.owner.execute(
        "SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[1000]), 5,"
        " clock_timestamp() + interval '1 day')"
    )
    fill(board_db, "work", 2000, priority=5)
    for _ in range(2):
        board_db.owner.execute("SELECT count(*) FROM board.claim('B', '1 day', max_tasks => 1000)")
    board_db.owner.execute(
        "SELECT count(*) FROM board.complete_many((SELECT array_agg(h.id) FROM (SELECT t.id"
        " FROM board.tasks AS t WHERE t.leased_by = 'B' LIMIT 1000) AS h), 'B')"
    )
    board_db.owner.execute("VACUUM ANALYZE board.tasks")
    crowded = warm_buffers(agent, "SELECT * FROM board.claim('A')")
    assert crowded <= alone + 20, f"{alone} buffers alone, {crowded} among 3,000 others"


def test_every_verb_finds_its_row_by_primary_key(board_db: TestDb) -> None:
    """Ten thousand dead entries in the partial indexes do not make a complete dearer."""
    owner = board_db.owner
    owner.execute("ALTER TABLE board.tasks SET (autovacuum_enabled = off)")
    fill(board_db, "work", 1)
    task_id = owner.execute("SELECT c.id FROM board.claim('A', '1 day') AS c").fetchall()[0][0]
    agent = board_db.connect()
    verbs = [
        f"SELECT board.complete('{task_id}', 'A')",
        f"SELECT board.fail('{task_id}', 'A')",
        f"SELECT board.heartbeat('{task_id}', 'A')",
        f"SELECT board.release('{task_id}', 'A')",
    ]
    before = [warm_buffers(agent, verb) for verb in verbs]
    snapshot = board_db.connect(autocommit=False)
    snapshot.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    snapshot.execute("SELECT 1")
    for _ in range(5):
        fill(board_db, "work", 1000)
        owner.execute("SELECT count(*) FROM board.claim('B', '1 day', max_tasks => 1000)")
        owner.execute(
            "SELECT count(*) FROM board.complete_many((SELECT array_agg(t.id) FROM board.tasks AS t"
            " WHERE t.leased_by = 'B'), 'B')"
        )
    after = [warm_buffers(agent, verb) for verb in verbs]
    assert all(b <= a + 30 for a, b in zip(before, after, strict=True)), (before, after)


def test_claim_does_not_walk_the_dead_again_and_again(board_db: TestDb) -> None:
    """Dead entries at the head of both indexes, a held snapshot: one claim pays, the next not."""
    owner = board_db.owner
    owner.execute("ALTER TABLE board.tasks SET (autovacuum_enabled = off)")
    fill(board_db, "work", 20000)
    owner.execute("ANALYZE board.tasks")
    snapshot = board_db.connect(autocommit=False)
    snapshot.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    snapshot.execute("SELECT 1")
    board_db.silently(
        "UPDATE board.tasks SET status = 'in_progress', leased_by = 'B', leased_until ="
        " clock_timestamp() - interval '1 minute', claim_count = 1 WHERE id IN (SELECT t.id"
        " FROM board.tasks AS t ORDER BY t.created_at, t.id LIMIT 19900)"
    )
    board_db.silently(
        "UPDATE board.tasks SET status = 'completed', leased_by = NULL, leased_until = NULL,"
        " finished_at = clock_timestamp() WHERE status = 'in_progress'"
    )
    board_db.wait_for("SELECT pg_stat_get_dead_tuples('board.tasks'::regclass) > 10000")
    agent = board_db.connect()
    costs = []
    for _ in range(20):
        row = agent.execute(
            "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM board.claim('A')"
        ).fetchone()
        assert row is not None
        plan = row[0][0]["Plan"]
        assert plan["Actual Rows"] == 1
        costs.append(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
    assert min(costs) < costs[0] / 10, f"blocks of each claim: {costs}"
    claimed = "SELECT array_agg(t.id ORDER BY t.claim_count, t.heartbeat_at) FROM board.tasks AS t"
    assert board_db.one(f"{claimed} WHERE t.leased_by = 'A'") == board_db.one(
        "SELECT array_agg(t.id ORDER BY t.created_at, t.id) FROM board.tasks AS t"
        " WHERE t.leased_by = 'A'"
    ), "in order all the same"
