"""On a standby: the installer says what is so, and every verb says that nothing can be changed."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest

from installer import lifecycle
from installer.errors import Exit
from installer.server import Cluster
from tests.support.installing import run
from tests.support.tools import all_installations


@pytest.fixture(scope="module")
def standby() -> Iterator[str]:
    """Where a standby is, made by pg_basebackup, of a board with one task that waits."""
    found = [one for one in all_installations() if (one.bin_dir / "pg_basebackup").exists()]
    if not found:
        pytest.skip("no pg_basebackup on this machine")
    primary = Cluster(found[0]).start()
    replica = Cluster(found[0])
    try:
        with psycopg.connect(primary.dsn(), autocommit=True) as connection:
            lifecycle.install(connection)
            connection.execute("SELECT board.enqueue('waiting')")
        # The server's user, when we are root, is whom the primary's folder belongs to.
        kept = primary.socket_dir.stat()
        os.chown(replica.socket_dir, kept.st_uid, kept.st_gid)
        replica.socket_dir.chmod(0o755)
        copied = primary.run(
            *("pg_basebackup", "-X", "stream", "-c", "fast", "-R"),
            *("-D", str(replica.data_dir), "-d", primary.dsn()),
        )
        assert copied.returncode == 0, copied.stderr
        replica.start()
        yield replica.dsn()
    finally:
        replica.remove()
        primary.remove()


def test_status_tells_and_the_rest_is_refused(standby: str) -> None:
    told = run("status", "--dsn", standby)
    assert told.returncode == 0, told.stderr
    assert "a standby: nothing can be changed here" in told.stdout
    assert "Tasks: 1 pending" in told.stdout
    for command in (
        ("install",),
        ("upgrade",),
        ("upgrade", "--repair"),
        ("uninstall", "--drop-data"),
        ("verify",),
        ("install", "--schema", "other"),
    ):
        done = run(*command, "--dsn", standby)
        assert done.returncode == Exit.REFUSED, done.stdout + done.stderr
        assert "this server is a standby" in done.stderr
        assert "primary" in done.stderr


VERBS = (
    "SELECT board.enqueue('new')",
    "SELECT board.enqueue_many('new', ARRAY['{}']::jsonb[])",
    "SELECT * FROM board.claim('a')",
    "SELECT * FROM board.claim('a', kinds => ARRAY['waiting'])",
    "SELECT * FROM board.claim('a', kinds => ARRAY['no such kind'])",
    "SELECT * FROM board.claim('a', kinds => ARRAY['no such kind', 'nor this'])",
    "SELECT * FROM board.claim('a', kinds => ARRAY['no such kind'], max_tasks => 5)",
    "SELECT * FROM board.claim_escalated('a')",
    "SELECT * FROM board.claim_task((SELECT t.id FROM board.tasks AS t), 'a')",
)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_says_that_it_is_read_only(standby: str, verb: str) -> None:
    """Never zero rows in silence: an agent would sleep on it for ever."""
    with psycopg.connect(standby, autocommit=True) as connection:
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute(verb.encode())
        looked = connection.execute("SELECT count(*) FROM board.queue").fetchone()
        assert looked == (1,)
