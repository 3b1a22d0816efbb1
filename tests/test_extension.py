"""The extension form: CREATE EXTENSION, upgrade, dump and restore with its data."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from installer import assemble, lifecycle
from installer import verify as verifying
from installer.errors import Exit, InstallerError
from installer.server import Cluster, installations
from tests.support.servers import Server, start_cluster
from tests.support.testdb import TestDb, new_database
from tests.test_upgrade import NEXT, SHIPPED, contents, next_release, rows_in_every_state

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def database(server: Server) -> Iterator[TestDb]:
    with new_database(server, "extension") as made:
        yield made


@contextmanager
def extension_folder(server: Server, *roots: Path) -> Iterator[str]:
    """The files of the extension form of these releases where that server finds them.

    From PostgreSQL 18 on a server may be told to look in further folders; nothing of the machine
    is touched.
    """
    if server.cluster is None or server.cluster.installation.major < 18:
        pytest.skip("needs a private server of PostgreSQL 18 or later (extension_control_path)")
    with tempfile.TemporaryDirectory(prefix="board-extension-") as name:
        folder = Path(name) / "extension"
        folder.mkdir()
        for root in roots:
            shutil.copy(root / "board.control", folder)
            list(assemble._extension_files(root, folder))
        Path(name).chmod(0o755)
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)
        yield f"{name}:$system"


def program(server: Server, name: str, *arguments: str) -> None:
    assert server.cluster is not None
    done = subprocess.run(
        [str(server.cluster.bin_dir / name), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def create(board: TestDb, path: str | None) -> None:
    if path is not None:
        board.owner.execute("SELECT set_config('extension_control_path', %s, false)", [path])
    board.owner.execute("CREATE EXTENSION board")


def check_dump_and_restore(server: Server, board: TestDb, path: str | None, folder: Path) -> None:
    rows_in_every_state(board)
    board.owner.execute("SELECT board.create_signing_key('k')")
    board.owner.execute("SELECT board.configure_provider('p', signing_key => 'k')")
    board.owner.execute("SELECT board.acquire_lock('r', 'a')")
    before = contents(board)
    dumped = folder / "dump.sql"
    program(server, "pg_dump", f"--dbname={board.dsn}", f"--file={dumped}")
    text = dumped.read_text("utf-8")
    assert "CREATE EXTENSION IF NOT EXISTS board" in text
    assert "CREATE TABLE board." not in text
    with database(server) as restored:
        if path is not None:
            restored.owner.execute(
                psycopg.sql.SQL("ALTER DATABASE {} SET extension_control_path = {}").format(
                    psycopg.sql.Identifier(restored.name), psycopg.sql.Literal(path)
                )
            )
        quiet = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
        program(server, "psql", *quiet, f"--file={dumped}", restored.dsn)
        assert verifying.verify(restored.owner) == []
        after = contents(restored)
        # Restored events are of the transaction that restored them.
        for event in [*before["events"], *after["events"]]:
            del event["xid"]
        assert after == before
        kept = "SELECT to_jsonb(s) FROM board.signing_secrets AS s"
        assert restored.rows(kept) == board.rows(kept)
        # Numbers go on where they were.
        assert restored.one("SELECT board.acquire_lock('other', 'a')") > board.one(
            "SELECT max(l.token) FROM board.locks AS l"
        )
        task = restored.one("SELECT board.enqueue('after')")
        newest = "SELECT e.seq FROM board.task_events AS e ORDER BY e.seq DESC LIMIT 1"
        assert restored.events(task) == ["enqueued"]
        assert restored.one(newest) > board.one(newest)


def test_the_extension_is_the_plain_board_and_survives_a_dump(
    server: Server, tmp_path: Path
) -> None:
    with extension_folder(server, assemble.sql_root()) as path, database(server) as board:
        create(board, path)
        assert board.one("SELECT board.version()") == SHIPPED
        state = lifecycle.state(board.owner, "board")
        assert (state.form, state.version) == ("extension", SHIPPED)
        assert verifying.verify(board.owner) == []
        # The installer leaves what CREATE EXTENSION made to ALTER EXTENSION.
        assert lifecycle.install(board.owner).changed is False
        assert lifecycle.upgrade(board.owner).changed is False
        check_dump_and_restore(server, board, path, tmp_path)
        with pytest.raises(InstallerError, match="there are rows"):
            lifecycle.uninstall(board.owner)
        lifecycle.uninstall(board.owner, drop_data=True)
        assert board.one("SELECT to_regnamespace('board') IS NULL")


def test_alter_extension_update_equals_a_fresh_extension(server: Server, tmp_path: Path) -> None:
    newer = next_release(tmp_path / "newer", wider=True)
    with (
        extension_folder(server, newer) as path,
        database(server) as board,
        database(server) as fresh,
    ):
        folder = Path(path.partition(":")[0]) / "extension"
        old = folder / f"board--{SHIPPED}.sql"
        old.write_text(assemble.script(form="extension"), "utf-8")
        old.chmod(0o644)
        board.owner.execute("SELECT set_config('extension_control_path', %s, false)", [path])
        board.owner.execute(psycopg.sql.SQL("CREATE EXTENSION board VERSION {}").format(SHIPPED))
        rows_in_every_state(board)
        before = contents(board)
        # The installer leaves the way to another release to ALTER EXTENSION.
        with pytest.raises(InstallerError, match="CREATE EXTENSION") as raised:
            lifecycle.upgrade(board.owner, root=newer)
        assert raised.value.code == Exit.REFUSED
        assert "ALTER EXTENSION board UPDATE" in str(raised.value.hint)
        # Nor does that when the schema is not safe: the script runs with it in reach.
        board.owner.execute("GRANT CREATE ON SCHEMA board TO PUBLIC")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="PUBLIC may create objects"):
            board.owner.execute("ALTER EXTENSION board UPDATE")
        board.owner.execute("REVOKE CREATE ON SCHEMA board FROM PUBLIC")
        board.owner.execute("CREATE FUNCTION board.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'")
        board.owner.execute("ALTER FUNCTION board.mine() OWNER TO pg_monitor")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"mine\(\) belongs to role"):
            board.owner.execute("ALTER EXTENSION board UPDATE")
        board.owner.execute("DROP FUNCTION board.mine()")
        board.owner.execute("ALTER EXTENSION board UPDATE")
        assert board.one("SELECT board.version()") == NEXT
        assert contents(board) == before
        assert verifying.verify(board.owner, root=newer) == []
        create(fresh, path)
        listed = (
            "SELECT array_agg(c.oid::regclass::text ORDER BY c.oid::regclass::text)"
            " FROM pg_extension AS e, unnest(e.extconfig) AS x(id), pg_class AS c"
            " WHERE e.extname = 'board' AND c.oid = x.id"
        )
        assert board.one(listed) == fresh.one(listed)


def test_an_owner_who_is_no_superuser_may_create_it(server: Server) -> None:
    with extension_folder(server, assemble.sql_root()) as path, database(server) as board:
        name = f"{board.name}_owner"
        me = psycopg.sql.Identifier(name)
        board.owner.execute(psycopg.sql.SQL("CREATE ROLE {}").format(me))
        board.owner.execute(
            psycopg.sql.SQL("ALTER DATABASE {} OWNER TO {}").format(
                psycopg.sql.Identifier(board.name), me
            )
        )
        board.owner.execute("SELECT set_config('extension_control_path', %s, false)", [path])
        try:
            with board.owner.transaction():
                board.owner.execute(psycopg.sql.SQL("SET LOCAL ROLE {}").format(me))
                board.owner.execute("CREATE EXTENSION board")
                task = board.one("SELECT board.enqueue('a')")
                assert board.one("SELECT id FROM board.claim('me')") == task
        finally:
            board.owner.execute("DROP EXTENSION IF EXISTS board CASCADE")
            board.owner.execute(psycopg.sql.SQL("DROP OWNED BY {} CASCADE").format(me))
            board.owner.execute(
                psycopg.sql.SQL("ALTER DATABASE {} OWNER TO CURRENT_USER").format(
                    psycopg.sql.Identifier(board.name)
                )
            )
            board.owner.execute(psycopg.sql.SQL("DROP ROLE {}").format(me))


def test_a_schema_that_is_there_must_be_empty_and_the_creators_alone(server: Server) -> None:
    with extension_folder(server, assemble.sql_root()) as path, database(server) as board:
        run = board.owner.execute
        run("SELECT set_config('extension_control_path', %s, false)", [path])
        for prepare, problem in (
            ("CREATE SCHEMA board CREATE TABLE mine (a int)", "board is not empty: table board.mi"),
            (
                (
                    "CREATE SCHEMA board;"
                    "CREATE FUNCTION board.version() RETURNS int LANGUAGE sql AS 'SELECT 1'"
                ),
                r"board is not empty: function board.version\(\)",
            ),
            ("CREATE SCHEMA board AUTHORIZATION pg_monitor", "belongs to role pg_monitor"),
            (
                "CREATE SCHEMA board; GRANT CREATE ON SCHEMA board TO pg_monitor",
                "role pg_monitor may create objects in schema board",
            ),
            ("CREATE SCHEMA board; GRANT CREATE ON SCHEMA board TO PUBLIC", "PUBLIC may create"),
        ):
            run(prepare.encode())
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match=problem):
                run("CREATE EXTENSION board")
            run("DROP SCHEMA board CASCADE")
        # Empty and one's own, as a restored dump has it: fine. So are default privileges.
        run("ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO pg_monitor")
        run("ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO pg_monitor")
        try:
            run("CREATE EXTENSION board")
            assert verifying.verify(board.owner) == []
        finally:
            run("ALTER DEFAULT PRIVILEGES REVOKE ALL ON SCHEMAS FROM pg_monitor")
            run("ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM pg_monitor")
        run("DROP EXTENSION board")
        run("CREATE EXTENSION board")
        assert verifying.verify(board.owner) == []


def test_the_extension_is_repaired_and_stays_whole(server: Server) -> None:
    with extension_folder(server, assemble.sql_root()) as path, database(server) as board:
        create(board, path)
        members = (
            "SELECT count(*) FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid"
            " WHERE e.extname = 'board' AND d.refclassid = 'pg_extension'::regclass"
            "   AND d.deptype = 'e'"
        )
        before = board.one(members)
        run = board.owner.execute
        run("ALTER VIEW board.crash_loops SET (security_invoker = on)")
        run("ALTER EXTENSION board DROP FUNCTION board.retry")
        run("DROP FUNCTION board.retry")
        run("REVOKE SELECT ON board.tasks FROM board_viewer")
        run("DROP TRIGGER log_update ON board.tasks")
        assert len(verifying.verify(board.owner)) >= 4
        assert lifecycle.upgrade(board.owner, repair=True).changed
        assert verifying.verify(board.owner) == []
        assert board.one(members) == before


def test_uninstall_of_the_extension_spares_what_others_built_on_it(server: Server) -> None:
    with extension_folder(server, assemble.sql_root()) as path, database(server) as board:
        create(board, path)
        run = board.owner.execute
        run("CREATE VIEW public.mine AS SELECT id FROM board.tasks")
        run("CREATE TABLE public.notes (kind text REFERENCES board.kinds)")
        with pytest.raises(InstallerError, match=r"(?s)public.notes.*public.mine") as raised:
            lifecycle.uninstall(board.owner)
        assert raised.value.code == Exit.REFUSED
        run("DROP VIEW public.mine")
        run("DROP TABLE public.notes")
        run("CREATE VIEW board.mine AS SELECT 1 AS one")
        with pytest.raises(InstallerError, match=r"extension.s: view board\.mine") as raised:
            lifecycle.uninstall(board.owner)
        assert raised.value.code == Exit.REFUSED
        assert board.one("SELECT count(*) FROM board.queue") == 0
        lifecycle.uninstall(board.owner, cascade=True)
        assert board.one("SELECT to_regnamespace('board') IS NULL")


def check_restore_on_the_newest(dumped: Path) -> None:
    """A dump of the extension form from the packaged server, on the newest server to be had."""
    newest = installations()[-1]
    if newest.major < 18:
        return
    server = start_cluster(newest)
    try:
        with extension_folder(server, assemble.sql_root()) as path, database(server) as board:
            setting = psycopg.sql.SQL("ALTER DATABASE {} SET extension_control_path = {}").format(
                psycopg.sql.Identifier(board.name), psycopg.sql.Literal(path)
            )
            board.owner.execute(setting)
            quiet = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
            program(server, "psql", *quiet, f"--file={dumped}", board.dsn)
            assert verifying.verify(board.owner) == []
    finally:
        server.stop()


@pytest.mark.slow
def test_make_install_into_a_packaged_server(tmp_path: Path) -> None:
    """PGXS and the oldest packaged server here. Only where its folders may be written."""
    packaged = [one for one in installations() if one.origin == "package"]
    if not packaged or shutil.which("make") is None:
        pytest.skip("no packaged PostgreSQL, or no make")
    chosen = packaged[0]
    config = chosen.bin_dir / "pg_config"
    if not config.exists():
        pytest.skip(f"no pg_config beside {chosen.label}")
    asked = subprocess.run([config, "--pgxs", "--sharedir"], capture_output=True, text=True)
    pgxs, share = asked.stdout.split("\n")[:2]
    target = Path(share) / "extension"
    if not Path(pgxs).exists() or not os.access(target, os.W_OK):
        pytest.skip("PGXS is missing, or its folders may not be written")
    tree = tmp_path / "tree"
    tree.mkdir()
    shutil.copy(ROOT / "Makefile", tree)
    for name in ("sql", "installer"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("board--*"))
    make = ["make", "-s", "-C", str(tree), f"PG_CONFIG={config}"]
    subprocess.run([*make, "install"], check=True, capture_output=True)
    server = start_cluster(chosen)
    try:
        assert (target / f"board--{SHIPPED}.sql").exists()
        with database(server) as board:
            create(board, None)
            assert verifying.verify(board.owner) == []
            check_dump_and_restore(server, board, None, tmp_path)
            check_restore_on_the_newest(tmp_path / "dump.sql")
    finally:
        assert isinstance(server.cluster, Cluster)
        server.stop()
        subprocess.run([*make, "uninstall"], check=True, capture_output=True)
    assert not (target / "board.control").exists()
