"""Whose a schema is, and what default privileges gave: looked at before anything in it is read.

A squatter here is a role that may create schemas in the database, and nothing more; the one who
installs is a superuser. Whatever runs the squatter's code writes its caller down.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from installer import assemble, lifecycle
from installer.errors import Exit, InstallerError
from tests.support.installing import PASSWORD, Empty, identifier, run

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("install",),
    ("status",),
    ("verify",),
    ("upgrade",),
    ("upgrade", "--repair"),
    ("uninstall", "--drop-data"),
)


@pytest.fixture
def squatter(empty: Empty) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """Somebody with CREATE on the database, connected; his function writes down who ran it."""
    name = f"{empty.name}_squatter"
    me = identifier(name)
    empty.connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(me, PASSWORD))
    empty.connection.execute(
        sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(identifier(empty.name), me)
    )
    dsn = psycopg.conninfo.make_conninfo(empty.dsn, user=name, password=PASSWORD)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA trap")
        connection.execute("CREATE TABLE trap.victims (who text)")
        connection.execute("GRANT USAGE ON SCHEMA trap TO PUBLIC")
        connection.execute("GRANT ALL ON trap.victims TO PUBLIC")
        connection.execute(
            "CREATE FUNCTION trap.spring() RETURNS text LANGUAGE plpgsql AS $$BEGIN "
            "INSERT INTO trap.victims VALUES (current_user); RETURN '0.1.0'; END$$"
        )
        connection.execute(
            "CREATE FUNCTION trap.pull() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "
            "INSERT INTO trap.victims VALUES (current_user); RETURN NEW; END$$"
        )
        yield connection
    empty.connection.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(me))
    empty.connection.execute(sql.SQL("DROP ROLE {}").format(me))


RELEASES = "SELECT trap.spring() AS version, now() AS installed_at, 'me'::text AS installed_by"
TABLE = "CREATE TABLE board.releases (version text, installed_at timestamptz, installed_by text)"
TRAPS: dict[str, tuple[LiteralString, str]] = {
    "a view named releases": (
        f"CREATE SCHEMA board CREATE VIEW releases AS {RELEASES}",
        "schema board belongs to role",
    ),
    "nothing but an empty schema": ("CREATE SCHEMA board", "schema board belongs to role"),
    "a table with a policy": (
        (
            f"CREATE SCHEMA board; {TABLE};"
            "INSERT INTO board.releases VALUES ('0.1.0', now(), 'me');"
            "CREATE POLICY p ON board.releases USING (trap.spring() IS NOT NULL);"
            "ALTER TABLE board.releases FORCE ROW LEVEL SECURITY"
        ),
        "schema board belongs to role",
    ),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_somebody_else_s_schema_is_refused_and_none_of_its_code_runs(
    empty: Empty, squatter: psycopg.Connection[tuple[object, ...]], trap: str
) -> None:
    statements, expected = TRAPS[trap]
    squatter.execute(statements)
    squatter.execute("GRANT ALL ON SCHEMA board TO PUBLIC")
    squatter.execute("GRANT ALL ON ALL TABLES IN SCHEMA board TO PUBLIC")
    for command in COMMANDS:
        told = empty.run(*command, code=Exit.REFUSED)
        assert expected in told, told
        assert squatter.info.user in told
    assert empty.rows("SELECT * FROM trap.victims") == []


def test_releases_that_is_no_ordinary_table_is_refused(
    empty: Empty, squatter: psycopg.Connection[tuple[object, ...]]
) -> None:
    """The schema is ours, but the squatter could put things there."""
    for trap, odd in (
        ("CREATE VIEW board.releases AS " + RELEASES, "is no ordinary table"),
        (
            (
                f"{TABLE}; CREATE TRIGGER t BEFORE INSERT ON board.releases"
                " FOR EACH ROW EXECUTE FUNCTION trap.pull()"
            ),
            "has triggers",
        ),
        (
            f"{TABLE}; ALTER TABLE board.releases ENABLE ROW LEVEL SECURITY",
            "has row security",
        ),
    ):
        empty.connection.execute("CREATE SCHEMA board")
        empty.connection.execute("GRANT ALL ON SCHEMA board TO PUBLIC")
        squatter.execute(trap.encode())
        for command in COMMANDS:
            told = empty.run(*command, code=Exit.REFUSED)
            assert f"board.releases belongs to role {squatter.info.user}" in told, told
        empty.connection.execute("ALTER TABLE board.releases OWNER TO CURRENT_USER")
        for command in COMMANDS:
            told = empty.run(*command, code=Exit.REFUSED)
            assert odd in told, told
        empty.connection.execute("DROP SCHEMA board CASCADE")
    assert empty.rows("SELECT * FROM trap.victims") == []


def test_what_others_own_in_a_board_is_neither_replaced_nor_dropped(
    empty: Empty, squatter: psycopg.Connection[tuple[object, ...]]
) -> None:
    empty.run("install")
    empty.connection.execute("GRANT ALL ON SCHEMA board TO PUBLIC")
    squatter.execute("CREATE FUNCTION board.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    for command in (("upgrade", "--repair"), ("uninstall",)):
        told = empty.run(*command, code=Exit.REFUSED)
        assert f"function board.mine() belongs to role {squatter.info.user}" in told, told
    assert "function mine()" in empty.run("verify", code=Exit.DIFFERENT)
    squatter.execute("DROP FUNCTION board.mine()")
    # A trigger is set off by whoever writes to the table, and an upgrade does.
    empty.connection.execute("GRANT TRIGGER ON board.kinds TO PUBLIC")
    squatter.execute(
        "CREATE TRIGGER t BEFORE UPDATE ON board.kinds"
        " FOR EACH STATEMENT EXECUTE FUNCTION trap.pull()"
    )
    told = empty.run("upgrade", "--repair", code=Exit.REFUSED)
    assert "trigger t on table board.kinds runs a function of role" in told
    empty.connection.execute("DROP TRIGGER t ON board.kinds")
    empty.run("upgrade", "--repair")
    assert empty.rows("SELECT * FROM trap.victims") == []


def test_the_owner_is_trusted_with_no_more_than_his_own(empty: Empty, plain_user: str) -> None:
    """A superuser does not read what a plain owner could have put there, SET ROLE or not; a member
    of the owner that may nothing more does."""
    mine = psycopg.conninfo.make_conninfo(empty.dsn, user=plain_user, password=PASSWORD)
    schema = f"t{os.getpid()}"
    empty.run("install", "--schema", schema, dsn=mine)
    told = empty.run("status", "--schema", schema, code=Exit.REFUSED)
    assert f"schema {schema} belongs to role {plain_user}" in told
    in_his_name = psycopg.conninfo.make_conninfo(empty.dsn, options=f"-c role={plain_user}")
    empty.run("status", "--schema", schema, dsn=in_his_name, code=Exit.REFUSED)
    deputy = f"{empty.name}_deputy"
    empty.connection.execute(
        sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} IN ROLE {}").format(
            identifier(deputy), PASSWORD, identifier(plain_user)
        )
    )
    try:
        theirs = psycopg.conninfo.make_conninfo(mine, user=deputy)
        empty.run("status", "--schema", schema, dsn=theirs)
        empty.connection.execute(sql.SQL("ALTER ROLE {} CREATEROLE").format(identifier(deputy)))
        empty.run("status", "--schema", schema, dsn=theirs, code=Exit.REFUSED)
        empty.connection.execute(sql.SQL("ALTER ROLE {} NOCREATEROLE").format(identifier(deputy)))
        empty.connection.execute(
            sql.SQL("GRANT pg_execute_server_program TO {}").format(identifier(deputy))
        )
        empty.run("status", "--schema", schema, dsn=theirs, code=Exit.REFUSED)
    finally:
        empty.run("uninstall", "--schema", schema, dsn=mine)
        empty.connection.execute(sql.SQL("DROP ROLE {}").format(identifier(deputy)))


def test_the_printed_scripts_have_the_guards_too(
    empty: Empty, squatter: psycopg.Connection[tuple[object, ...]], tmp_path: Path
) -> None:
    def feed(*options: str) -> str:
        script = tmp_path / "script.sql"
        script.write_text(run("script", *options).stdout, "utf-8")
        psql = empty.server.program("psql")
        done = subprocess.run(
            [psql, "-Xq", "-v", "ON_ERROR_STOP=1", "-f", str(script), empty.dsn],
            check=False,
            capture_output=True,
            text=True,
        )
        return "" if done.returncode == 0 else done.stderr

    squatter.execute(TRAPS["a view named releases"][0])
    squatter.execute("GRANT ALL ON SCHEMA board TO PUBLIC")
    squatter.execute("GRANT ALL ON ALL TABLES IN SCHEMA board TO PUBLIC")
    told = feed()
    assert "there is a schema board already" in told
    assert f"It belongs to role {squatter.info.user}" in told
    assert "schema board belongs to role" in feed("--repair")
    assert empty.rows("SELECT * FROM trap.victims") == []
    squatter.execute("DROP SCHEMA board CASCADE")
    assert feed() == ""
    empty.connection.execute("CREATE OR REPLACE VIEW board.queue AS SELECT * FROM board.queue")
    assert feed("--repair") == ""
    assert "exactly as board" in empty.run("verify")
    empty.connection.execute(
        "INSERT INTO board.releases (version, installed_at) VALUES ('0.0.9', '9999-01-01')"
    )
    told = feed("--repair")
    assert f"this script upgrades board {assemble.version()}; release 0.0.9 is installed" in told


# Default privileges, and who is in the group roles.


def test_a_fresh_install_takes_back_what_default_privileges_gave(
    empty: Empty, squatter: psycopg.Connection[tuple[object, ...]]
) -> None:
    friend = squatter.info.user
    for kind in ("SCHEMAS", "TABLES", "SEQUENCES", "ROUTINES", "TYPES"):
        empty.connection.execute(
            sql.SQL("ALTER DEFAULT PRIVILEGES GRANT ALL ON {} TO {}, PUBLIC").format(
                sql.SQL(kind), identifier(friend)
            )
        )
    try:
        empty.run("install")
        given = empty.rows(
            """
            SELECT o.name, x.privilege_type
            FROM (
                SELECT n.nspname::text, n.nspacl FROM pg_namespace AS n WHERE n.nspname = 'board'
                UNION ALL
                SELECT c.relname, c.relacl FROM pg_class AS c
                WHERE c.relnamespace = 'board'::regnamespace
                UNION ALL
                SELECT p.proname, p.proacl FROM pg_proc AS p
                WHERE p.pronamespace = 'board'::regnamespace
                UNION ALL
                SELECT t.typname, t.typacl FROM pg_type AS t
                WHERE t.typnamespace = 'board'::regnamespace
            ) AS o (name, acl), aclexplode(o.acl) AS x
            WHERE x.grantee = %s::regrole OR x.grantee = 0 AND x.privilege_type <> 'USAGE'
            """,
            friend,
        )
        assert given == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            squatter.execute("SELECT * FROM board.signing_secrets")
        assert "exactly as board" in empty.run("verify")
        # What the owner gives by hand stays through a repair, and verify names it.
        empty.connection.execute(
            sql.SQL("GRANT SELECT ON board.tasks TO {}").format(identifier(friend))
        )
        empty.run("upgrade", "--repair")
        assert f"{friend}=select" in empty.run("verify", code=Exit.DIFFERENT)
        # What a repair has to make anew has nobody's default privileges.
        empty.connection.execute("DROP VIEW board.crash_loops")
        empty.connection.execute("DROP FUNCTION board.retry")
        empty.run("upgrade", "--repair")
        told = empty.run("verify", code=Exit.DIFFERENT)
        assert re.findall(rf"{friend}=\S+", told) == [f"{friend}=select"], told
    finally:
        for kind in ("SCHEMAS", "TABLES", "SEQUENCES", "ROUTINES", "TYPES"):
            empty.connection.execute(
                sql.SQL("ALTER DEFAULT PRIVILEGES REVOKE ALL ON {} FROM {}, PUBLIC").format(
                    sql.SQL(kind), identifier(friend)
                )
            )
        for kind, right in (("ROUTINES", "EXECUTE"), ("TYPES", "USAGE")):
            empty.connection.execute(
                sql.SQL("ALTER DEFAULT PRIVILEGES GRANT {} ON {} TO PUBLIC").format(
                    sql.SQL(right), sql.SQL(kind)
                )
            )


def test_verify_holds_privileges_against_grants_sql(
    empty: Empty, squatter: psycopg.Connection[tuple[object, ...]]
) -> None:
    """Default privileges that came later, or a board of an older installer that left them."""
    friend = squatter.info.user
    empty.run("install")
    grant = sql.SQL("GRANT SELECT ON board.signing_secrets TO {}").format(identifier(friend))
    default = sql.SQL("ALTER DEFAULT PRIVILEGES {} SELECT ON TABLES {} {}")
    empty.connection.execute(grant)
    empty.connection.execute(default.format(*map(sql.SQL, ("GRANT", "TO")), identifier(friend)))
    try:
        told = empty.run("verify", code=Exit.DIFFERENT)
    finally:
        empty.connection.execute(
            default.format(*map(sql.SQL, ("REVOKE", "FROM")), identifier(friend))
        )
    assert f"{friend}=select" in told


def test_members_that_the_group_roles_have_are_named(
    empty: Empty, squatter: psycopg.Connection[tuple[object, ...]]
) -> None:
    schema = f"m{os.getpid()}"
    admin = identifier(f"{schema}_admin")
    empty.connection.execute(sql.SQL("CREATE ROLE {}").format(admin))
    empty.connection.execute(sql.SQL("CREATE ROLE {} IN ROLE {}").format(
        identifier(f"{schema}_team"), admin))  # fmt: skip
    empty.connection.execute(
        sql.SQL("GRANT {} TO {}").format(
            identifier(f"{schema}_team"), identifier(squatter.info.user)
        )
    )
    try:
        for command in ("install", "status", "verify"):
            told = empty.run(command, "--schema", schema)
            assert (
                f"{schema}_admin: {squatter.info.user} (through {schema}_team), {schema}_team"
            ) in told, told
    finally:
        empty.connection.execute(sql.SQL("DROP ROLE {}").format(identifier(f"{schema}_team")))
        empty.run("uninstall", "--schema", schema, "--drop-roles")


# The installers' lock.


def test_nobody_but_the_owner_can_keep_the_installer_out(
    empty: Empty, squatter: psycopg.Connection[tuple[object, ...]]
) -> None:
    """Advisory locks are anybody's; and what a reader of the board may lock is no hindrance."""
    with squatter.transaction():
        squatter.execute("SELECT pg_advisory_xact_lock(n) FROM generate_series(1, 100) AS n")
        for key in _keys():
            squatter.execute("SELECT pg_advisory_xact_lock(%s)", [key])
        empty.run("install", "--wait", "2")
        empty.run("upgrade", "--repair", "--wait", "2")
    empty.connection.execute(
        sql.SQL("GRANT board_admin TO {}").format(identifier(squatter.info.user))
    )
    with squatter.transaction():
        squatter.execute("SELECT board.version()")
        for mode in ("ACCESS SHARE", "SHARE UPDATE EXCLUSIVE"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), squatter.transaction():
                squatter.execute(
                    sql.SQL("LOCK TABLE board.releases IN {} MODE NOWAIT").format(sql.SQL(mode))
                )
        with (
            psycopg.connect(empty.dsn, autocommit=True) as owner,
            owner.transaction(force_rollback=True),
        ):
            owner.execute("SET LOCAL lock_timeout = '2s'")
            owner.execute(assemble.guard("lock_installers").encode())


def _keys() -> list[int]:
    """The advisory locks that installers of board once took."""
    import hashlib

    digest = hashlib.sha256(b"board installer:board").digest()
    return [int.from_bytes(digest[:8], "big") >> 1]


def test_lifecycle_refuses_by_itself(
    empty: Empty, squatter: psycopg.Connection[tuple[object, ...]]
) -> None:
    """The same for who calls it from Python."""
    squatter.execute("CREATE SCHEMA board")
    with psycopg.connect(empty.dsn, autocommit=True) as connection:
        for call in (lifecycle.state, lifecycle.install, lifecycle.upgrade, lifecycle.uninstall):
            with pytest.raises(InstallerError, match="belongs to role") as raised:
                call(connection, "board")
            assert raised.value.code == Exit.REFUSED
