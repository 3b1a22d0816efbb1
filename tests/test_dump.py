"""A board that was dumped and restored: the same tasks, the same log, and nobody woken."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import psycopg
import pytest

from installer import assemble, lifecycle
from installer import verify as verifying
from installer.server import Cluster
from tests.support.servers import Server
from tests.support.testdb import TestDb, create_database, drop_database, new_database
from tests.support.tools import all_installations
from tests.test_upgrade import rows_in_every_state

COUNTED = (
    "SELECT (SELECT count(*) FROM board.tasks), (SELECT count(*) FROM board.task_events),"
    " (SELECT md5(string_agg(t.id::text || t.status || t.claim_count, ',' ORDER BY t.id))"
    "    FROM board.tasks AS t),"
    " (SELECT md5(string_agg(e.seq || e.type || e.actor || e.task_id, ',' ORDER BY e.seq))"
    "    FROM board.task_events AS e)"
)


def dump(database: TestDb, target: Path, *options: str) -> None:
    command: list[str | Path] = [
        database.server.program("pg_dump"),
        f"--dbname={database.dsn}",
        *options,
    ]
    done = subprocess.run(
        [*command, f"--file={target}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # A warning (of a circular key, say) would be the first that an operator sees.
    assert done.stderr == ""


def restore(server: Server, database: str, script: Path) -> None:
    done = subprocess.run(
        [server.program("psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1",
         f"--file={script}", server.database(database)],
        capture_output=True, text=True, check=False, env={**os.environ, "PGOPTIONS": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def work(database: TestDb) -> None:
    """Tasks in every state, with their events."""
    owner = database.owner
    owner.execute("SELECT board.configure_kind('capped', max_in_progress => 2)")
    owner.execute("SELECT board.enqueue_many('capped', array_fill('{}'::jsonb, ARRAY[5]))")
    owner.execute("SELECT board.enqueue_many('work', array_fill('{}'::jsonb, ARRAY[20]))")
    owner.execute("SELECT board.enqueue('later', run_at => clock_timestamp() + interval '1 day')")
    ids = [
        row[0] for row in database.rows("SELECT c.id FROM board.claim('A', max_tasks => 12) AS c")
    ]
    owner.execute("SELECT board.complete(%s, 'A')", (ids[0],))
    owner.execute("SELECT board.fail(%s, 'A')", (ids[1],))
    owner.execute("SELECT board.fail(%s, 'A', permanent => true)", (ids[2],))
    owner.execute("SELECT board.cancel(%s, 'olga')", (ids[3],))
    owner.execute("SELECT board.pause('kind:capped', 'olga')")


def heard_meanwhile(server: Server, database: str, script: Path) -> int:
    """Restore while somebody listens; how many notifications that makes."""
    with psycopg.connect(server.database(database), autocommit=True) as listener:
        listener.execute("LISTEN task_events")
        restore(server, database, script)
        listener.execute("SELECT pg_notify('task_events', 'end')")
        return (
            sum(1 for _ in listener.notifies(timeout=5, stop_after=1))
            - 1
            + sum(1 for _ in listener.notifies(timeout=0))
        )


def test_full_dump_restores_the_same_board(board_db: TestDb, tmp_path: Path) -> None:
    work(board_db)
    board_db.owner.execute("SELECT board.register_agent('bound', current_user::text)")
    before = board_db.rows(COUNTED)
    cursor = board_db.one("SELECT board.latest_cursor()")
    script = tmp_path / "full.sql"
    dump(board_db, script)
    name = create_database(board_db.server, "restored")
    restored = TestDb(board_db.server, name)
    try:
        assert heard_meanwhile(board_db.server, name, script) == 0
        assert restored.rows(COUNTED) == before
        assert verifying.verify(restored.owner) == []
        # The role of that name on the server that it was restored to.
        found = "SELECT a.role_oid = to_regrole(quote_ident(a.role)) FROM board.agents AS a"
        assert restored.one(found) is True
        # It goes on working: the log continues, the fences still grow, the guards are on.
        assert restored.one("SELECT count(*) FROM board.claim('B', max_tasks => 3)") == 3
        assert restored.one("SELECT count(*) FROM board.task_events") == before[0][1] + 3
        with pytest.raises(Exception, match="append-only"):
            restored.owner.execute("DELETE FROM board.task_events")
        # Same cluster, another database: a cursor from before cannot be trusted there.
        rows = restored.rows("SELECT f.type FROM board.events_since(%s) AS f", cursor)
        assert len(rows) >= 1
    finally:
        restored.close()
        drop_database(board_db.server, name)


def test_data_only_dump_restores_into_a_fresh_board(board_db: TestDb, tmp_path: Path) -> None:
    """All of it, the tables of one row and the releases included."""
    with new_database(board_db.server, "fresh") as fresh:
        lifecycle.install(fresh.owner)
        check_data_only_dump(board_db, fresh, tmp_path / "data.sql")


def check_data_only_dump(board_db: TestDb, fresh: TestDb, script: Path) -> None:
    rows_in_every_state(board_db)
    work(board_db)
    board_db.owner.execute("SELECT board.configure(max_ttl => '5 days')")
    board_db.owner.execute("SELECT board.create_signing_key('k')")
    board_db.owner.execute("SELECT board.configure_provider('p', signing_key => 'k')")
    board_db.owner.execute("SELECT board.set_limit('p', '1 hour', 10), board.take('p')")
    board_db.owner.execute("SELECT board.acquire_lock('r', 'a')")
    before, tables = board_db.rows(COUNTED), rows(board_db)
    dump(board_db, script, "--data-only", "--schema=board")
    assert heard_meanwhile(fresh.server, fresh.name, script) == 0
    assert fresh.rows(COUNTED) == before
    after = rows(fresh)
    releases = tables.pop("releases")
    # The row of the fresh installation stays; those of the dumped board are beside it.
    assert len(after.pop("releases")) == len(releases) + 1
    assert after == tables
    assert fresh.one("SELECT board.version()") == assemble.version()
    assert verifying.verify(fresh.owner) == []
    # Nothing else is needed to go on working.
    assert fresh.one("SELECT count(*) FROM board.claim('B', max_tasks => 3)") == 3


# What tells of the transaction that restored a row, and not of the one that made it.
OF_THE_TRANSACTION = ("xid", "stamp", "pruned_xid")


def rows(database: TestDb) -> dict[str, list[str]]:
    """Every row of every table, as text."""
    found = {}
    for (table,) in database.rows(
        "SELECT c.relname FROM pg_class AS c"
        " WHERE c.relnamespace = 'board'::regnamespace AND c.relkind = 'r'"
    ):
        query = f"SELECT (to_jsonb(t) - %s::text[])::text FROM board.{table} AS t ORDER BY 1"
        cursor = database.owner.execute(query.encode(), (list(OF_THE_TRANSACTION),))
        found[table] = [row[0] for row in cursor]
    # Names are a set, a name may be there twice.
    found["kind_names"] = sorted(set(found["kind_names"]))
    return found


def test_a_dump_of_the_oldest_server_verifies_on_the_newest(tmp_path: Path) -> None:
    found = all_installations()
    old, new = found[0], found[-1]
    if old.major == new.major:
        pytest.skip(f"only PostgreSQL {old.major} on this machine")
    with Cluster(old) as source, Cluster(new) as target:
        here, there = Server(source.dsn(), "old", source), Server(target.dsn(), "new", target)
        script = tmp_path / "old.sql"
        with (
            new_database(here, "old") as board,
            new_database(there, "new") as restored,
            new_database(there, "seed") as seed,
        ):
            lifecycle.install(board.owner)
            work(board)
            # The newer pg_dump, as the manual advises.
            dump(TestDb(there, board.name), script, f"--dbname={board.dsn}")
            # Roles first: they are not in a dump.
            lifecycle.install(seed.owner)
            restore(there, restored.name, script)
            assert restored.rows(COUNTED) == board.rows(COUNTED)
            assert verifying.verify(restored.owner) == []
