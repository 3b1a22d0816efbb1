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
from tests.support.testdb import TestDb, create_database, drop_database
from tests.test_upgrade import NEXT, SHIPPED, contents, next_release, rows_in_every_state

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def database(server: Server) -> Iterator[TestDb]:
    made = TestDb(server, create_database(server, "extension"))
    try:
        yield made
    finally:
        made.close()
        drop_database(server, made.name)


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
        with pytest.raises(InstallerError, match="CREATE EXTENSION") as raised:
            lifecycle.upgrade(board.owner, repair=True)
        assert raised.value.code == Exit.REFUSED
        assert raised.value.hint is not None
        assert "ALTER EXTENSION board UPDATE" in raised.value.hint
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
    finally:
        assert isinstance(server.cluster, Cluster)
        server.stop()
        subprocess.run([*make, "uninstall"], check=True, capture_output=True)
    assert not (target / "board.control").exists()
