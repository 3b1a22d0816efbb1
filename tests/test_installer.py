"""install, status, verify, script, uninstall: on a real server, through the command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from installer import assemble, lifecycle
from installer import verify as verifying
from installer.catalog import snapshot
from installer.errors import Exit
from installer.mend import remedies
from installer.server import EmbeddedServer
from tests.support.installing import PASSWORD, ROOT, Empty, identifier, run
from tests.support.testdb import TestDb, drop_database


def test_install_then_install_again_then_uninstall(empty: Empty) -> None:
    version = assemble.version()
    assert "no board" in empty.run("status", code=Exit.NOT_INSTALLED)
    assert f"board {version} is installed" in empty.run("install")
    assert empty.one("SELECT board.version()") == version
    before = empty.one("SELECT xmin::text FROM board.releases")

    assert "nothing was changed" in empty.run("install")
    assert "nothing was changed" in empty.run("upgrade")
    assert empty.one("SELECT xmin::text FROM board.releases") == before
    told = empty.run("status")
    assert f"board {version} (plain SQL)" in told
    assert "none yet" in told
    assert "exactly as board" in empty.run("verify")

    assert "is gone" in empty.run("uninstall")
    assert empty.one("SELECT to_regnamespace('board') IS NULL")
    empty.run("verify", code=Exit.NOT_INSTALLED)
    empty.run("upgrade", code=Exit.NOT_INSTALLED)
    empty.run("uninstall", code=Exit.NOT_INSTALLED)


def test_uninstall_keeps_data_and_what_others_built_on_the_board(empty: Empty) -> None:
    empty.run("install")
    empty.connection.execute("SELECT board.enqueue('a')")
    told = empty.run("uninstall", code=Exit.REFUSED)
    assert "board.tasks (1 row)" in told
    assert "board.task_events (1 row)" in told

    empty.connection.execute("CREATE VIEW public.mine AS SELECT id FROM board.tasks")
    empty.connection.execute("CREATE TABLE public.notes (kind text REFERENCES board.kinds)")
    empty.connection.execute(
        "CREATE FUNCTION public.f(t board.tasks) RETURNS int LANGUAGE sql AS 'SELECT 1'"
    )
    told = empty.run("uninstall", "--drop-data", code=Exit.REFUSED)
    assert "view public.mine" in told
    assert "public.notes" in told
    assert "public.f(board.tasks)" in told
    assert empty.one("SELECT count(*) FROM board.tasks") == 1

    told = empty.run("uninstall", "--drop-data", "--cascade")
    assert "dropping with their rows: " in told
    assert "board.tasks (1 row)" in told
    assert "dropping too: " in told
    assert "public.mine" in told
    assert empty.one("SELECT to_regclass('public.mine') IS NULL")
    assert empty.one("SELECT to_regclass('public.notes') IS NOT NULL")


def test_two_installers_at_once_one_waits_and_finds_it_done(empty: Empty) -> None:
    told: list[str] = []

    def install() -> None:
        told.append(empty.run("install"))

    threads = [threading.Thread(target=install) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted("is installed in" in text for text in told) == [False, False, False, True]
    assert sum("nothing was changed" in text for text in told) == 3


def test_the_second_installer_is_told_and_gives_up_at_its_limit(empty: Empty) -> None:
    with empty.connection.transaction(force_rollback=True):
        empty.connection.execute("SET LOCAL application_name = 'first'")
        empty.connection.execute(assemble.script().encode())
        start = time.monotonic()
        told = empty.run("install", "--wait", "1", "--lock-timeout", "0.5", code=Exit.LOCKED)
        assert time.monotonic() - start < 20
        assert "another session is creating schema board" in told
        assert re.search(r"pid \d+ \(first\), role \w+, idle in transaction since 20\d\d-", told), (
            told
        )
        # Another schema's installer is nobody's rival.
        empty.run("install", "--schema", "team", "--wait", "1")
    assert empty.one("SELECT to_regnamespace('board') IS NULL")
    empty.run("uninstall", "--schema", "team", "--drop-roles")
    empty.run("install")
    with empty.connection.transaction():
        empty.connection.execute(assemble.guard("lock_installers").encode())
        told = empty.run("upgrade", "--repair", "--wait", "1", code=Exit.LOCKED)
        assert "another installer is at work here: pid " in told
        assert "another installer" in empty.run("uninstall", "--wait", "1", code=Exit.LOCKED)
        empty.run("status")
        empty.run("verify")


def test_a_failing_statement_leaves_the_database_as_it_was(empty: Empty, tmp_path: Path) -> None:
    root = _copy_of_sql(tmp_path)
    broken = root / "functions" / "tasks" / "zz_broken.sql"
    broken.write_text("SELECT 1/0;\n")
    roles_before = empty.rows("SELECT rolname FROM pg_roles ORDER BY 1")
    with (
        psycopg.connect(empty.dsn, autocommit=True) as connection,
        pytest.raises(Exception, match="division by zero") as raised,
    ):
        lifecycle.install(connection, root=root)
    assert raised.value.code == Exit.FAILED  # type: ignore[attr-defined]
    assert empty.one("SELECT to_regnamespace('board') IS NULL")
    assert empty.rows("SELECT rolname FROM pg_roles ORDER BY 1") == roles_before

    # The same when the board is there: a repair that fails half-way changes nothing.
    empty.run("install")
    catalog = _catalog(empty)
    with (
        psycopg.connect(empty.dsn, autocommit=True) as connection,
        pytest.raises(Exception, match="division by zero"),
    ):
        lifecycle.upgrade(connection, repair=True, root=root)
    assert _catalog(empty) == catalog


def test_a_schema_that_is_not_a_board_is_left_alone(empty: Empty) -> None:
    empty.connection.execute("CREATE SCHEMA board")
    empty.connection.execute("CREATE TABLE board.chess (square text)")
    assert "not a board" in empty.run("install", code=Exit.REFUSED)
    empty.run("uninstall", "--drop-data", code=Exit.NOT_INSTALLED)
    assert empty.one("SELECT to_regclass('board.chess') IS NOT NULL")


def test_a_database_that_cannot_hold_every_character_is_refused(empty: Empty) -> None:
    name = f"{empty.name}_latin"
    empty.connection.execute(
        sql.SQL(
            "CREATE DATABASE {} TEMPLATE template0 ENCODING 'LATIN1' "
            "LOCALE_PROVIDER libc LOCALE 'C'"
        ).format(identifier(name))
    )
    try:
        told = empty.run("install", dsn=empty.server.database(name), code=Exit.REFUSED)
        assert "LATIN1" in told
        assert "UTF8" in told
    finally:
        drop_database(empty.server, name)


def test_another_release_is_not_overwritten(empty: Empty) -> None:
    empty.run("install")
    empty.connection.execute("UPDATE board.releases SET version = '99.0.0'")
    told = empty.run("install", code=Exit.REFUSED)
    assert "99.0.0" in told
    empty.run("upgrade", code=Exit.REFUSED)
    empty.run("verify", code=Exit.DIFFERENT)


def test_an_owner_who_is_no_superuser_installs(empty: Empty, plain_user: str) -> None:
    """And is told exactly what an administrator has to run for the roles that he may not make."""
    schema = f"b{os.getpid()}"
    dsn = psycopg.conninfo.make_conninfo(empty.dsn, user=plain_user, password=PASSWORD)
    told = empty.run("install", "--schema", schema, dsn=dsn)
    statements = re.findall(r"(?m)^    ((?:CREATE ROLE|GRANT) .*;)$", told)
    assert f"CREATE ROLE {schema}_viewer NOLOGIN;" in statements
    assert f"GRANT {schema}_agent TO {schema}_operator;" in statements
    assert len(statements) == len(assemble.ROLES) + len(assemble.MEMBERSHIPS)
    with psycopg.connect(dsn, autocommit=True) as owner:
        task = owner.execute(f"SELECT {schema}.enqueue('a')".encode()).fetchone()
        assert task is not None
        claimed = owner.execute(f"SELECT id FROM {schema}.claim('me')".encode()).fetchall()
        assert claimed == [task]
    assert "missing" in empty.run("verify", "--schema", schema, dsn=dsn, code=Exit.DIFFERENT)
    try:
        for statement in statements:
            empty.connection.execute(statement.encode())
        told = empty.run("upgrade", "--repair", "--schema", schema, dsn=dsn)
        assert "administrator" not in told
        assert "exactly as board" in empty.run("verify", "--schema", schema, dsn=dsn)
        # With the roles made, their grants are in force.
        allowed = empty.one(
            "SELECT has_function_privilege(%s, %s, 'EXECUTE')",
            f"{schema}_agent",
            f"{schema}.claim(text, interval, text[], bigint)",
        )
        assert allowed
    finally:
        told = empty.run("uninstall", "--drop-data", "--drop-roles", "--schema", schema, dsn=dsn)
        assert f"role {schema}_viewer stays" in told
        for role in assemble.ROLES:
            empty.connection.execute(
                sql.SQL("DROP ROLE IF EXISTS {}").format(identifier(f"{schema}_{role}"))
            )
    assert empty.rows("SELECT FROM pg_roles WHERE rolname LIKE %s", f"{schema}\\_%") == []


def test_an_owner_who_may_make_roles_makes_them(empty: Empty, plain_user: str) -> None:
    schema = f"c{os.getpid()}"
    empty.connection.execute(sql.SQL("ALTER ROLE {} CREATEROLE").format(identifier(plain_user)))
    dsn = psycopg.conninfo.make_conninfo(empty.dsn, user=plain_user, password=PASSWORD)
    told = empty.run("install", "--schema", schema, dsn=dsn)
    assert "administrator" not in told
    assert "exactly as board" in empty.run("verify", "--schema", schema, dsn=dsn)
    empty.run("uninstall", "--drop-roles", "--schema", schema, dsn=dsn)
    assert empty.rows("SELECT FROM pg_roles WHERE rolname LIKE %s", f"{schema}\\_%") == []


def test_a_second_board_beside_the_first(empty: Empty) -> None:
    schema = f"team{os.getpid()}"
    try:
        empty.run("install")
        empty.run("install", "--schema", schema)
        first, second = _catalog(empty), _catalog(empty, schema)
        assert first.keys() == second.keys()
        assert "exactly as board" in empty.run("verify", "--schema", schema)
        empty.connection.execute(f"SELECT {schema}.enqueue('a')".encode())
        assert empty.one("SELECT count(*) FROM board.tasks") == 0
        empty.run("uninstall", "--schema", schema, code=Exit.REFUSED)
        empty.run("uninstall")
        status = empty.run("status", "--schema", schema)
        assert "1 pending" in status
    finally:
        empty.run("uninstall", "--schema", schema, "--drop-data", "--drop-roles")


@pytest.mark.parametrize("bad", ["Team", "te-am", "pg_board", "select"])
def test_bad_schema_names_are_refused(empty: Empty, bad: str) -> None:
    commands = ("install", "status", "verify", "upgrade", "uninstall")
    for command in commands if bad == "Team" else commands[:1]:
        assert "schema name" in empty.run(command, "--schema", bad, code=Exit.USAGE)
    done = run("script", "--schema", bad)
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")


# What somebody did to a live board, and what verify must say: problem, object, some of the detail.
MEDDLING = {
    "a changed function": (
        (
            "CREATE OR REPLACE FUNCTION board.version() RETURNS text LANGUAGE sql STABLE "
            "SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$SELECT 'mine'$$"
        ),
        ("changed", "function version()", "'mine'"),
    ),
    "a missing index": (
        "DROP INDEX board.tasks_correlation",
        ("missing", "index tasks_correlation", ""),
    ),
    "a foreign grant": (
        "GRANT SELECT ON board.audit_log TO PUBLIC",
        ("changed", "table audit_log", "PUBLIC=select"),
    ),
    "a foreign grant on a function": (
        "GRANT EXECUTE ON FUNCTION board.version() TO pg_monitor",
        ("changed", "function version()", "pg_monitor=execute"),
    ),
    "a foreign grant on a column": (
        "GRANT UPDATE (priority) ON board.tasks TO board_agent",
        ("changed", "column tasks.priority", "board_agent=update"),
    ),
    "a lost grant": (
        "REVOKE EXECUTE ON FUNCTION board.complete FROM board_agent",
        ("changed", "function complete(", "board_agent=execute"),
    ),
    "a missing comment": (
        "COMMENT ON COLUMN board.tasks.kind IS NULL",
        ("changed", "column tasks.kind", "What sort of task"),
    ),
    "a foreign table": ("CREATE TABLE board.mine (a int)", ("foreign", "table mine", "")),
    "a foreign column": (
        "ALTER TABLE board.kinds ADD COLUMN mine int",
        ("foreign", "column kinds.mine", ""),
    ),
    "a missing constraint": (
        "ALTER TABLE board.kinds DROP CONSTRAINT kinds_mode",
        ("missing", "constraint kinds.kinds_mode", ""),
    ),
    "a disabled trigger": (
        "ALTER TABLE board.tasks DISABLE TRIGGER log_update",
        ("changed", "trigger tasks.log_update", "no"),
    ),
    "a missing function": (
        "DROP FUNCTION board.next_due(text[])",
        ("missing", "function next_due(", ""),
    ),
    "a missing view": ("DROP VIEW board.crash_loops", ("missing", "view crash_loops", "")),
    "a default that is not ours": (
        "ALTER TABLE board.kinds ALTER COLUMN max_failures SET DEFAULT 9",
        ("changed", "column kinds.max_failures", "9"),
    ),
    "an owner that is not ours": (
        "ALTER FUNCTION board.version() OWNER TO pg_monitor",
        ("changed", "function version()", "pg_monitor"),
    ),
    "a function that lost its search_path": (
        "ALTER FUNCTION board.version() RESET search_path",
        ("changed", "function version()", "stable security definer cost 100"),
    ),
    "an unvalidated constraint": (
        (
            "ALTER TABLE board.kinds DROP CONSTRAINT kinds_mode, ADD CONSTRAINT kinds_mode "
            "CHECK (mode IN ('dry_run', 'shadow', 'live')) NOT VALID"
        ),
        ("changed", "constraint kinds.kinds_mode", "false"),
    ),
    "a role that may log in": (
        "ALTER ROLE board_gateway LOGIN",
        ("changed", "role board_gateway", "login"),
    ),
    "a role that has more than it should": (
        "GRANT board_admin TO board_gateway",
        ("changed", "role board_gateway", "board_admin"),
    ),
}


@pytest.mark.parametrize("what", MEDDLING)
def test_verify_finds(board_module_db: TestDb, what: str) -> None:
    statement, (problem, called, detail) = MEDDLING[what]
    connection = board_module_db.owner
    with connection.transaction(force_rollback=True):
        connection.execute(statement.encode())
        found = verifying.verify(connection)
    assert any(
        one.problem == problem
        and f"{one.sort} {one.name}".startswith(called)
        and detail in one.shipped + one.found
        for one in found
    ), found


MORE_MEDDLING = (
    "ALTER TABLE board.tasks DROP CONSTRAINT tasks_pkey CASCADE",
    "ALTER TABLE board.kinds ALTER COLUMN max_failures DROP DEFAULT",
    "ALTER TABLE board.kinds ALTER COLUMN max_failures DROP NOT NULL",
    (
        "ALTER TABLE board.settings DROP CONSTRAINT settings_max_ttl,"
        " ADD CONSTRAINT settings_max_ttl CHECK (max_ttl > '1 second')"
    ),
    (
        "DROP INDEX board.tasks_correlation;"
        "CREATE INDEX tasks_correlation ON board.tasks (id, correlation_id)"
    ),
    "ALTER TABLE board.tasks SET (fillfactor = 17, autovacuum_enabled = off)",
    "ALTER TABLE board.tasks ENABLE ROW LEVEL SECURITY",
    "REVOKE EXECUTE ON FUNCTION board.claim FROM board_agent;GRANT SELECT ON board.queue TO PUBLIC",
    "REVOKE board_viewer FROM board_agent",
    "COMMENT ON TABLE board.kinds IS 'mine'",
)


@pytest.mark.parametrize(
    "statement",
    [
        *(what[0] for what in MEDDLING.values() if what[1][0] != "foreign"),
        *MORE_MEDDLING,
    ],
)
def test_what_verify_prints_mends(board_module_db: TestDb, statement: str) -> None:
    """Indexes, keys, constraints, defaults and roles by the statements, the rest by the repair."""
    connection = board_module_db.owner
    with connection.transaction(force_rollback=True):
        connection.execute(statement.encode())
        found = verifying.verify(connection)
        assert found
        todo = remedies(found, "board", str(connection.info.user))
        assert todo.by_hand == ()
        for mend in (*todo.administrator, *todo.owner):
            connection.execute(mend.encode())
        if todo.repair:
            connection.execute(assemble.upgrade_script(assemble.version()).encode())
        assert verifying.verify(connection) == []


def test_a_mark_of_the_server_s_own_is_no_difference(board_module_db: TestDb) -> None:
    """PostgreSQL 15.20 writes pg_attver=N into attoptions. An n_distinct is a person's."""
    connection = board_module_db.owner
    with connection.transaction(force_rollback=True):
        marked = connection.execute(
            "UPDATE pg_attribute SET attoptions = ARRAY['pg_attver=1']"
            " WHERE attrelid = 'board.tasks'::regclass AND attnum > 0"
        )
        assert marked.rowcount > 10
        assert verifying.verify(connection) == []
    with connection.transaction(force_rollback=True):
        connection.execute("ALTER TABLE board.tasks ALTER COLUMN kind SET (n_distinct = 5)")
        assert [one.name for one in verifying.verify(connection)] == ["tasks.kind"]


def test_what_the_database_is_set_to_is_in_nobodys_way(empty: Empty) -> None:
    empty.run("install")
    for setting in (
        "DateStyle = 'German'",
        "IntervalStyle = 'sql_standard'",
        "statement_timeout = '20ms'",
        "lock_timeout = '1ms'",
        "standard_conforming_strings = off",
        "default_transaction_read_only = on",
        "default_transaction_isolation = 'serializable'",
        "search_path = ''",
    ):
        empty.connection.execute(
            sql.SQL("ALTER DATABASE {} SET ").format(identifier(empty.name)) + sql.SQL(setting)
        )
    assert "since 20" in empty.run("status")
    assert "exactly as board" in empty.run("verify")
    assert "put in again" in empty.run("upgrade", "--repair")
    empty.run("install", "--schema", "team")
    assert "exactly as board" in empty.run("verify", "--schema", "team")
    empty.run("uninstall", "--schema", "team", "--drop-roles")
    assert "exactly as board" in empty.run("verify")


def test_secrets_of_a_connection_string_are_printed_nowhere(empty: Empty) -> None:
    secrets = "password=geheim1 sslpassword=geheim2 oauth_client_secret=geheim3"
    for dsn in (
        f"host=/nowhere/at/all dbname=x {secrets}",
        f"host=/nowhere/at/all password=geheim1 geheim2 {secrets}",
        "postgresql://me:ge@geheim@host.invalid/x?connect_timeout=1",
        "postgresql://me:geheim%zz@/x",
    ):
        commands = ("status", "install", "verify", "uninstall", "upgrade")
        for command in commands if "geheim1" in dsn else commands[:1]:
            done = run(command, "--dsn", dsn)
            assert done.returncode in (Exit.UNREACHABLE, Exit.USAGE), done.stderr
            assert "geheim" not in done.stdout + done.stderr
    told = empty.run("status", dsn=f"{empty.dsn} {secrets}", code=Exit.NOT_INSTALLED)
    assert "installer install --dsn" in told
    assert "geheim" not in told


def test_hints_name_the_command_that_was_typed(empty: Empty) -> None:
    typed = Path(sys.executable).parent / "board-installer"
    if not typed.exists():
        pytest.skip("the command board-installer is not installed here")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
    done = subprocess.run(
        [str(typed), "status", "--dsn", empty.dsn],
        capture_output=True,
        text=True,
        check=False,
        env={**kept, "PYTHONPATH": str(ROOT)},
    )
    assert re.search(r"To install one: \S*board-installer install --dsn", done.stdout), done.stdout
    assert "-m installer" not in done.stdout


def test_roles_that_do_not_exist_do_not_stay(empty: Empty, plain_user: str) -> None:
    schema = f"r{os.getpid()}"
    dsn = psycopg.conninfo.make_conninfo(empty.dsn, user=plain_user, password=PASSWORD)
    empty.run("install", "--schema", schema, dsn=dsn)
    told = empty.run("uninstall", "--drop-roles", "--schema", schema, dsn=dsn)
    assert "stays" not in told
    assert "stay, for" not in told


def test_verify_reports_in_words_and_by_its_exit_code(empty: Empty) -> None:
    empty.run("install")
    for what in ("a changed function", "a missing index", "a foreign grant", "a missing comment"):
        empty.connection.execute(MEDDLING[what][0].encode())
    told = empty.run("verify", code=Exit.DIFFERENT)
    for part in ("+SELECT 'mine'", "tasks_correlation", "PUBLIC=select", "tasks.kind", "1 missing"):
        assert part in told, told


def test_verify_leaves_nothing_behind_and_repair_puts_code_back(empty: Empty) -> None:
    empty.run("install")
    empty.run("verify")
    assert empty.rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'board\\_%'") == []
    for what in ("a changed function", "a lost grant", "a missing function"):
        empty.connection.execute(MEDDLING[what][0].encode())
    empty.run("verify", code=Exit.DIFFERENT)
    assert "put in again" in empty.run("upgrade", "--repair")
    assert "exactly as board" in empty.run("verify")


def test_the_printed_script_installs_with_psql_alone(empty: Empty, tmp_path: Path) -> None:
    psql = empty.server.program("psql")
    script = tmp_path / "board.sql"
    script.write_text(run("script").stdout, "utf-8")
    command = [psql, "-Xq", "-v", "ON_ERROR_STOP=1", "-f", str(script), empty.dsn]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "exactly as board" in empty.run("verify")
    # A second time it fails as a whole, and everything is as before.
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode != 0
    assert "exactly as board" in empty.run("verify")
    # Without the transaction it is for psql -1.
    bare = tmp_path / "bare.sql"
    bare.write_text(run("script", "--no-transaction", "--schema", "team").stdout, "utf-8")
    done = subprocess.run(
        [psql, "-Xq", "-1", "-v", "ON_ERROR_STOP=1", "-f", str(bare), empty.dsn],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "exactly as board" in empty.run("verify", "--schema", "team")
    empty.run("uninstall", "--schema", "team", "--drop-roles")


def test_the_server_comes_from_libpq_when_no_dsn_is_given(empty: Empty) -> None:
    parts = psycopg.conninfo.conninfo_to_dict(empty.dsn)
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "dbname": "PGDATABASE"}
    environment = {names[k]: str(v) for k, v in parts.items() if k in names}
    if "password" in parts:
        environment["PGPASSWORD"] = str(parts["password"])
    done = run("install", **environment)
    assert done.returncode == 0, done.stderr
    assert "libpq's environment" in done.stderr
    assert empty.one("SELECT to_regnamespace('board') IS NOT NULL")


def test_no_server_no_traceback() -> None:
    done = run("status", "--dsn", "host=/nowhere/at/all dbname=x")
    assert done.returncode == Exit.UNREACHABLE
    assert "Traceback" not in done.stderr
    assert run("nonsense").returncode == Exit.USAGE


@pytest.mark.slow
def test_without_any_server_an_embedded_one_keeps_its_data(tmp_path_factory: Any) -> None:
    with _short_folder() as home:
        try:
            done = run("install", BOARD_HOME=str(home))
            assert done.returncode == 0, done.stderr
            assert f"data in {home}" in done.stderr
            assert "keeps running" in done.stderr
            assert run("server", "stop", BOARD_HOME=str(home)).stdout == "stopped\n"
            done = run("status", BOARD_HOME=str(home))
            assert done.returncode == 0, done.stdout + done.stderr
            assert f"board {assemble.version()} (plain SQL)" in done.stdout
        finally:
            # status found it stopped, started it and stopped it again.
            stopped = run("server", "stop", BOARD_HOME=str(home))
        assert stopped.stdout == "it was not running\n"


def test_the_embedded_server_opens_no_folder() -> None:
    """The wheel's own starter would open every folder above its data to everybody."""
    if os.geteuid() != 0:
        pytest.skip("only root needs another user for the server")
    with _short_folder() as home:
        closed = home / "closed"
        closed.mkdir(mode=0o700)
        server = EmbeddedServer(closed / "data")
        with pytest.raises(Exception, match="cannot reach"):
            server.start()
        assert closed.stat().st_mode & 0o777 == 0o700


class _short_folder:  # noqa: N801 - reads as a function
    """A folder with a path short enough for a socket, reachable for the server's user."""

    def __enter__(self) -> Path:
        import tempfile

        self.path = Path(tempfile.mkdtemp(prefix="board-home-"))
        self.path.chmod(0o755)
        return self.path

    def __exit__(self, *_: object) -> None:
        import shutil

        shutil.rmtree(self.path, ignore_errors=True)


def _copy_of_sql(folder: Path) -> Path:
    import shutil

    return shutil.copytree(
        assemble.sql_root(), folder / "sql", ignore=shutil.ignore_patterns("board--*")
    )


def _catalog(empty: Empty, schema: str = "board") -> Any:
    with psycopg.connect(empty.dsn, autocommit=True) as connection:
        connection.execute("SET search_path = pg_catalog")
        return snapshot(connection, schema, stands_for="board")


def test_test_runs_pytest_on_the_checkout_and_says_on_which_server() -> None:
    chosen = ("tests/test_assemble.py", "-k", "shortest_way", "-p", "no:cacheprovider")
    done = run("test", "--", *chosen)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "server for the tests:" in done.stdout
    assert "board server:" in done.stdout
    assert run("test", "--", "tests/test_assemble.py", "-k", "no_such_test").returncode == 5
