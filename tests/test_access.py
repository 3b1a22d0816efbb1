"""Roles, grants and names: who may call what, and under which name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from installer import assemble
from tests.support import privileges
from tests.support.fixtures import Template
from tests.support.testdb import Connection, TestDb, clone, drop_database

STRANGER = f"board_stranger_{os.getpid()}"


def sqlstate(connection: Connection, query: str, *arguments: object) -> str | None:
    """The SQLSTATE that a statement ends with; None when it succeeds. Leaves nothing behind."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(query.encode(), arguments or None)
    except psycopg.DatabaseError as error:
        return error.sqlstate
    return None


@pytest.fixture
def stranger(board_db: TestDb) -> Iterator[str]:
    """A role that nobody gave anything."""
    owner = board_db.owner
    owner.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(STRANGER)))
    yield STRANGER
    for connection in board_db._open:
        connection.execute("RESET ROLE")
    owner.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(STRANGER)))


@pytest.fixture
def other_db(board_template: Template) -> Iterator[TestDb]:
    """A second board, in another database of the same cluster."""
    database = clone(board_template.server, board_template.name)
    yield database
    database.close()
    drop_database(board_template.server, database.name)


# -- the matrix ------------------------------------------------------------------------------------


def test_matrix_by_the_catalog(board_db: TestDb) -> None:
    assert privileges.violations(board_db.owner) == []


def test_matrix_by_trying(board_db: TestDb, stranger: str) -> None:
    """Every role calls every function, private ones too: permission denied or not, as listed."""
    functions = board_db.rows(
        "SELECT p.proname, p.oid::regprocedure::text,"
        # No constants: with a NULL for a STRICT function the planner does not ask who may call it.
        "       format('SELECT board.%I(%s) FROM (SELECT %s OFFSET 0) AS x',"
        "              p.proname, a.names, a.nulls)"
        "  FROM pg_proc AS p"
        " CROSS JOIN LATERAL ("
        "       SELECT string_agg(format('x.a%s', t.place), ', ' ORDER BY t.place),"
        "              string_agg(format('NULL::%s AS a%s', t.oid::regtype, t.place), ', ')"
        "         FROM unnest(p.proargtypes) WITH ORDINALITY AS t (oid, place)) AS a (names, nulls)"
        " WHERE p.pronamespace = 'board'::regnamespace ORDER BY 2"
    )
    assert len(functions) > 100
    wrong = []
    for role in (stranger, *(f"board_{name}" for name in privileges.ROLES)):
        connection = board_db.connect(role=role)
        for name, signature, call in functions:
            try:
                with connection.transaction(force_rollback=True):
                    connection.execute(call)
                denied = False
            except psycopg.DatabaseError as error:
                denied = error.sqlstate == "42501" and "permission denied for" in str(error)
            if denied == privileges.may_call(role.removeprefix("board_"), name):
                wrong.append(f"{role} {'may not' if denied else 'may'} call {signature}")
    assert wrong == []


def test_reading_and_writing(board_db: TestDb, stranger: str) -> None:
    """Views and tables: read by those who may, written by nobody but the owner."""
    board_db.one("SELECT board.enqueue('k')")
    relations = board_db.rows(
        "SELECT c.relname, c.relkind = 'r',"
        "       (SELECT t.attname FROM pg_attribute AS t"
        "         WHERE t.attrelid = c.oid AND t.attnum > 0 AND t.attgenerated = ''"
        "           AND t.attidentity = '' LIMIT 1)"
        "  FROM pg_class AS c"
        " WHERE c.relnamespace = 'board'::regnamespace AND c.relkind IN ('r', 'v') ORDER BY 1"
    )
    wrong = []
    for role in (stranger, *(f"board_{name}" for name in privileges.ROLES)):
        connection = board_db.connect(role=role)
        for name, is_table, column in relations:
            readable = privileges.may_read(role.removeprefix("board_"), name)
            expected = None if readable else "42501"
            if (state := sqlstate(connection, f"SELECT * FROM board.{name}")) != expected:
                wrong.append(f"{role} reads {name}: {state}")
            if not is_table:
                continue
            writes = (
                f"INSERT INTO board.{name} DEFAULT VALUES",
                f"UPDATE board.{name} SET {column} = NULL",
                f"DELETE FROM board.{name}",
                f"TRUNCATE board.{name}",
                f"LOCK board.{name} IN ACCESS EXCLUSIVE MODE",
            )
            wrong += [
                f"{role}: {write}: {state}"
                for write in writes
                if (state := sqlstate(connection, write)) != "42501"
            ]
    assert wrong == []


def test_a_new_function_without_a_grant_is_noticed(board_db: TestDb) -> None:
    board_db.owner.execute(
        "CREATE FUNCTION board.brand_new() RETURNS int LANGUAGE sql AS 'SELECT 1';"
        "CREATE VIEW board.brand_new_view AS SELECT 1"
    )
    found = privileges.violations(board_db.owner)
    assert "function brand_new: in no list of tests/support/privileges.py" in found
    assert "relation brand_new_view: in no list of tests/support/privileges.py" in found
    # A function is PUBLIC's when it is made. An upgrade takes it back, and it is still nobody's.
    assert "PUBLIC has EXECUTE on board.brand_new()" in found
    board_db.owner.execute(assemble.upgrade_script("0.1.0").encode())
    assert "PUBLIC has EXECUTE on board.brand_new()" not in privileges.violations(board_db.owner)


def test_an_upgrade_makes_loose_grants_tight(board_db: TestDb, stranger: str) -> None:
    owner = board_db.owner
    owner.execute(
        """
        GRANT ALL ON SCHEMA board TO PUBLIC;
        GRANT ALL ON ALL TABLES IN SCHEMA board TO PUBLIC, board_gateway;
        GRANT ALL ON ALL SEQUENCES IN SCHEMA board TO PUBLIC, board_agent;
        GRANT ALL ON ALL ROUTINES IN SCHEMA board TO PUBLIC, board_viewer WITH GRANT OPTION;
        GRANT SELECT (token_hash), UPDATE (scopes) ON board.access_tokens TO PUBLIC, board_agent;
        GRANT SELECT ON board.signing_secrets TO board_viewer WITH GRANT OPTION;
        """.replace("PUBLIC, board_viewer WITH", "board_viewer WITH")
    )
    # Somebody who was given too much has passed it on.
    viewer = board_db.connect(role="board_viewer")
    give = sql.SQL("GRANT SELECT ON board.signing_secrets TO {}").format(sql.Identifier(stranger))
    viewer.execute(give)
    owner.execute(
        sql.SQL("GRANT USAGE ON SCHEMA board TO {0}; GRANT SELECT ON board.queue TO {0}").format(
            sql.Identifier(stranger)
        )
    )
    assert len(privileges.violations(owner)) > 500

    owner.execute(assemble.upgrade_script("0.1.0").encode())

    assert privileges.violations(owner) == []
    asked = board_db.connect(role=stranger)
    assert sqlstate(asked, "SELECT * FROM board.signing_secrets") == "42501"
    # What the owner gave to others is the owner's business.
    assert board_db.one("SELECT has_table_privilege(%s, 'board.queue', 'SELECT')", stranger)


# -- making the roles ------------------------------------------------------------------------------


class Installing:
    """An installation under role names of its own, run by a role that is no superuser."""

    def __init__(self, server_db: TestDb, name: str, attributes: LiteralString) -> None:
        self.prefix = f"b{os.getpid()}{name}"
        self.role = f"{self.prefix}_installer"
        self.database = server_db
        who = sql.Identifier(self.role)
        self.admin = server_db.owner
        self.admin.execute(sql.SQL("DROP SCHEMA board CASCADE"))
        # It logs in: the owner by SET ROLE alone could be led to act as who logged in, and the
        # upgrade refuses him.
        made = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} " + attributes)
        self.admin.execute(made.format(who, sql.Literal(self.role)))
        self.admin.execute(
            sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(sql.Identifier(server_db.name), who)
        )
        self.connection = server_db.connect(user=self.role, password=self.role)
        self.wanted: list[str] = []
        self.connection.add_notice_handler(self._hear)

    def run(self, script: str) -> list[str]:
        """The statements that the warnings ask an administrator for."""
        self.wanted = []
        with self.connection.transaction():
            self.connection.execute(script.encode())
        return self.wanted

    def _hear(self, said: psycopg.errors.Diagnostic) -> None:
        # A diagnostic is empty once its handler has returned.
        if said.severity == "WARNING":
            self.wanted.append(str(said.message_hint).split(": ", 1)[1].split(";")[0])

    def install(self) -> list[str]:
        return self.run(assemble.script(roles=self.prefix))

    def upgrade(self) -> list[str]:
        return self.run(assemble.upgrade_script("0.1.0", roles=self.prefix))

    def remove(self) -> None:
        self.connection.close()
        names = self.admin.execute(
            "SELECT rolname FROM pg_roles WHERE starts_with(rolname, %s) ORDER BY rolname <> %s",
            (self.prefix, self.role),
        ).fetchall()
        for (name,) in names:
            self.admin.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(name)))
        for (name,) in reversed(names):
            self.admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


@pytest.fixture
def plain_installer(board_db: TestDb) -> Iterator[Installing]:
    one = Installing(board_db, "p", "NOCREATEROLE")
    yield one
    one.remove()


@pytest.fixture
def role_installer(board_db: TestDb) -> Iterator[Installing]:
    one = Installing(board_db, "c", "CREATEROLE")
    yield one
    one.remove()


def test_installer_with_createrole(role_installer: Installing) -> None:
    assert role_installer.install() == []
    assert privileges.violations(role_installer.admin, role_installer.prefix) == []
    assert role_installer.upgrade() == []


def test_installer_without_createrole(plain_installer: Installing) -> None:
    """What it may not do it asks for; after that was done, an upgrade grants the rest."""
    wanted = plain_installer.install()
    prefix = plain_installer.prefix
    assert wanted == [f"CREATE ROLE {prefix}_{name} NOLOGIN" for name in privileges.ROLES]
    for statement in wanted:
        plain_installer.admin.execute(statement.encode())
    wanted = plain_installer.upgrade()
    assert wanted == [
        f"GRANT {prefix}_{lower} TO {prefix}_{upper}"
        for lower, upper in zip(privileges.LADDER, privileges.LADDER[1:], strict=False)
    ]
    for statement in wanted:
        plain_installer.admin.execute(statement.encode())
    assert plain_installer.upgrade() == []
    assert privileges.violations(plain_installer.admin, prefix) == []


def test_roles_that_another_made(role_installer: Installing) -> None:
    """From PostgreSQL 16 on CREATEROLE does not reach roles that somebody else made."""
    for name in privileges.ROLES:
        role_installer.admin.execute(f"CREATE ROLE {role_installer.prefix}_{name}".encode())
    wanted = role_installer.install()
    version = role_installer.connection.info.server_version
    assert len(wanted) == (0 if version < 160000 else 3)
    for statement in wanted:
        role_installer.admin.execute(statement.encode())
    assert privileges.violations(role_installer.admin, role_installer.prefix) == []


@pytest.mark.parametrize("ending", ["COMMIT", "ROLLBACK"])
def test_two_installers_make_the_roles(
    board_db: TestDb, other_db: TestDb, ending: LiteralString
) -> None:
    """In two databases of one cluster at once: neither fails, and both boards are complete."""
    prefix = f"b{os.getpid()}r"
    grants = assemble.rename((assemble.sql_root() / "grants.sql").read_text(), "board", prefix)
    first = board_db.connect(autocommit=False)
    second = other_db.connect(autocommit=False)
    try:
        first.execute(grants.encode())
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(second.execute, grants.encode())
            other_db.wait_until_blocked(second, by=first)
            first.execute(ending)
            waiting.result(timeout=20)
        second.commit()
        assert privileges.violations(other_db.owner, prefix) == []
        board_db.owner.execute(grants.encode())
        assert privileges.violations(board_db.owner, prefix) == []
    finally:
        first.close()
        second.close()
        roles = sql.SQL(", ").join(sql.Identifier(f"{prefix}_{name}") for name in privileges.ROLES)
        for database in (board_db, other_db):
            database.owner.execute(sql.SQL("DROP OWNED BY {}").format(roles))
        board_db.owner.execute(sql.SQL("DROP ROLE {}").format(roles))


# -- names -----------------------------------------------------------------------------------------


def test_a_bound_name_is_refused_by_every_verb(board_db: TestDb, stranger: str) -> None:
    """Whatever takes an agent or an actor, by a role that may call it but not use the name."""
    owner = board_db.owner
    owner.execute("SELECT board.register_agent('bound', 'board_viewer')")
    owner.execute(sql.SQL("GRANT board_admin TO {}").format(sql.Identifier(stranger)))
    verbs = board_db.rows(
        "SELECT p.proname, a.name,"
        "       format('SELECT board.%I(%s)', p.proname,"
        "              string_agg(CASE WHEN v.name = a.name THEN quote_literal('bound')"
        "                              ELSE format('NULL::%s', v.type::regtype) END,"
        "                         ', ' ORDER BY v.place))"
        "  FROM pg_proc AS p"
        " CROSS JOIN LATERAL unnest(p.proargnames[:p.pronargs], p.proargtypes::oid[])"
        "       WITH ORDINALITY AS v (name, type, place)"
        "  JOIN (VALUES ('agent'), ('actor')) AS a (name)"
        "       ON a.name = ANY (p.proargnames[:p.pronargs])"
        " WHERE p.pronamespace = 'board'::regnamespace AND p.proname !~ '^_'"
        "   AND p.proname <> 'issue_token'"
        " GROUP BY p.oid, a.name ORDER BY 1"
    )
    assert len(verbs) > 20
    other = board_db.connect(role=stranger)
    wrong = []
    for name, argument, call in verbs:
        try:
            with other.transaction(force_rollback=True):
                other.execute(call)
            wrong.append(f"{name}: went through")
        except psycopg.DatabaseError as error:
            said = f"{error.sqlstate} {error.diag.message_primary}"
            if said != f'42501 {argument} "bound" belongs to another database role':
                wrong.append(f"{name}: {said}")
    assert wrong == []


def test_the_log_shows_the_name_and_the_role(board_db: TestDb, stranger: str) -> None:
    owner = board_db.owner
    owner.execute("SELECT board.register_agent('bound', %s)", (stranger,))
    owner.execute(sql.SQL("GRANT board_operator TO {}").format(sql.Identifier(stranger)))
    task_id = board_db.one("SELECT board.enqueue('k')")
    bound = board_db.connect(role=stranger)
    bound.execute("SELECT board.claim('bound')")
    bound.execute("SELECT board.fail(%s, 'bound', permanent => true)", (task_id,))
    bound.execute("SELECT board.retry(%s, 'bound')", (task_id,))
    bound.execute("SELECT board.pause('kind:k', 'bound')")
    found = board_db.rows(
        "SELECT e.type, e.actor, e.db_user FROM board.task_events AS e"
        " WHERE e.task_id = %s AND e.type <> 'enqueued'"
        " UNION ALL"
        " SELECT l.action, l.actor, l.db_user FROM board.audit_log AS l WHERE l.action = 'pause'",
        task_id,
    )
    assert found == [
        (verb, "bound", stranger) for verb in ("claimed", "failed", "escalated", "retried", "pause")
    ]
    # As behind a pool that logs in as one role and sets another.
    assert bound.execute("SELECT session_user").fetchone() != (stranger,)


# -- the caller's own surroundings -----------------------------------------------------------------

TRAPS = (
    "clock_timestamp() RETURNS timestamptz",
    "gen_random_uuid() RETURNS uuid",
    "sha256(bytea) RETURNS bytea",
    "convert_to(text, name) RETURNS bytea",
    "current_setting(text) RETURNS text",
    "pg_notify(text, text) RETURNS void",
    "length(text) RETURNS int",
    "to_jsonb(anyelement) RETURNS jsonb",
    "_check_name(text, text) RETURNS void",
    "_caller() RETURNS text",
    "same(text, text) RETURNS boolean",
    "later(timestamptz, timestamptz) RETURNS boolean",
)
TRAP_OPERATORS = (
    ("=", "same", "text"),
    ("<>", "same", "text"),
    ("<=", "later", "timestamptz"),
    (">", "later", "timestamptz"),
)


def test_a_hostile_search_path_changes_nothing(board_db: TestDb, stranger: str) -> None:
    """Tables, functions and operators of the caller's own, found first by an unqualified name."""
    owner = board_db.owner
    who = sql.Identifier(stranger)
    owner.execute(sql.SQL("GRANT board_admin, board_gateway TO {}").format(who))
    owner.execute(sql.SQL("CREATE SCHEMA evil AUTHORIZATION {}").format(who))
    agent = board_db.connect(role=stranger)

    def ask(query: LiteralString, *arguments: object) -> Any:
        row = agent.execute(query, arguments or None).fetchone()
        assert row is not None
        return row[0]

    agent.execute("SET search_path = evil, pg_temp, pg_catalog")
    for function in TRAPS:
        agent.execute(
            f"CREATE FUNCTION evil.{function} LANGUAGE plpgsql"
            " AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$".encode()
        )
    for operator, function, argument in TRAP_OPERATORS:
        agent.execute(
            f"CREATE OPERATOR evil.{operator} (FUNCTION = evil.{function},"
            f" LEFTARG = {argument}, RIGHTARG = {argument})".encode()
        )
    for table in ("tasks", "agents", "settings", "kinds", "access_tokens", "task_events", "board"):
        agent.execute(f"CREATE TEMP TABLE {table} (id uuid, status text)".encode())
    with pytest.raises(psycopg.errors.RaiseException, match="trapped"):
        agent.execute("SELECT clock_timestamp()")

    task_id = ask("SELECT board.enqueue('k')")
    assert ask("SELECT c.id FROM board.claim('a') AS c") == task_id
    assert ask("SELECT board.heartbeat(%s::uuid, 'a')", task_id) is not None
    assert ask("SELECT board.fail(%s::uuid, 'a', permanent => true)", task_id) == "escalated"
    assert ask("SELECT board.retry(%s::uuid, 'a')", task_id) == "pending"
    assert ask("SELECT c.id FROM board.claim_task(%s::uuid, 'a') AS c", task_id) == task_id
    ask("SELECT board.create_signing_key('k')")
    assert ask("SELECT board.verify('k', board.sign('k', 'm', 'b'), 'b')")
    token = ask("SELECT board.issue_token('a', '{agent}', '1 day')")
    complete = Jsonb({"id": str(task_id)})
    assert ask("SELECT board.request(%s, 'complete', %s)", token, complete) == "completed"
    assert ask("SELECT count(*) FROM pg_temp.tasks") == 0
    assert board_db.status(task_id) == "completed"
