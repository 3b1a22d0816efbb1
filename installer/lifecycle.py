"""install, upgrade, uninstall, and what state a database is in.

Everything that changes a database does so in one transaction, under a lock that a second installer
waits for. A failing statement leaves the database as it was. Nothing in a schema is read before it
is known whose it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from installer import assemble
from installer.errors import Exit, InstallerError
from installer.target import Connection
from installer.waiting import Patience, Say, in_one_transaction, lock_out_installers, prepare


@dataclass(frozen=True)
class State:
    """What is under a schema name."""

    form: Literal["none", "plain", "extension", "foreign"]
    version: str | None = None
    installed_at: datetime | None = None
    installed_by: str | None = None
    owner: str | None = None


@dataclass(frozen=True)
class Member:
    """A role that may do what a group role may."""

    group: str
    name: str
    through: str | None = None  # the group that makes it one, when it is not the role itself
    admin: bool = False  # may make others members

    def __str__(self) -> str:
        more = [f"through {self.through}"] if self.through else []
        more += ["may give it to others"] if self.admin else []
        return self.name + (f" ({', '.join(more)})" if more else "")


@dataclass(frozen=True)
class Roles:
    """The group roles that are not there, what an administrator would run, and who is in them."""

    missing: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    changed: bool
    version: str | None
    before: str | None = None
    roles: Roles = field(default_factory=Roles)
    notices: tuple[str, ...] = ()


@contextmanager
def looking(connection: Connection) -> Iterator[None]:
    """A transaction that changes nothing, with no setting of the role or the database in it."""
    with connection.transaction(force_rollback=True):
        prepare(connection, lock_timeout=5)
        yield


def standby(connection: Connection) -> bool:
    """Whether this server replays another one and takes no change."""
    row = connection.execute("SELECT pg_catalog.pg_is_in_recovery()").fetchone()
    return row is not None and bool(row[0])


def state(connection: Connection, schema: str) -> State:
    """What is installed under that schema name, if anything.

    Refuses where schema or table of releases are somebody else's: reading them could run his code.
    """
    with looking(connection):
        return _state(connection, schema)


def _state(connection: Connection, schema: str) -> State:
    guard(connection, "ownership", schema)
    cursor = connection.cursor(row_factory=tuple_row)
    if schema == "board":
        cursor.execute(
            """
            SELECT e.extversion, pg_catalog.pg_get_userbyid(e.extowner)
            FROM pg_catalog.pg_extension AS e WHERE e.extname = 'board'
            """
        )
        extension = cursor.fetchone()
        if extension is not None:
            return State("extension", version=extension[0], owner=extension[1])
    cursor.execute(
        """
        SELECT pg_catalog.pg_get_userbyid(n.nspowner),
               EXISTS (SELECT FROM pg_catalog.pg_class AS c
                       WHERE c.relnamespace = n.oid AND c.relname = 'releases')
        FROM pg_catalog.pg_namespace AS n WHERE n.nspname = %s
        """,
        [schema],
    )
    namespace = cursor.fetchone()
    if namespace is None:
        return State("none")
    owner, ours = namespace
    if not ours:
        return State("foreign", owner=owner)
    try:
        with connection.transaction():
            cursor.execute(
                sql.SQL(
                    "SELECT r.version, r.installed_at, r.installed_by FROM {}.releases AS r "
                    "ORDER BY r.installed_at DESC LIMIT 1"
                ).format(sql.Identifier(schema))
            )
    except psycopg.errors.UndefinedColumn:  # a table of that name, and not ours
        return State("foreign", owner=owner)
    release = cursor.fetchone()
    if release is None:
        return State("foreign", owner=owner)
    return State("plain", release[0], release[1], release[2], owner)


def count_tasks(connection: Connection, schema: str) -> dict[str, int] | None:
    """How many tasks there are of each status. None when it is not safe to look."""
    with looking(connection):
        guard(connection, "ownership", schema)
        cursor = connection.cursor(row_factory=tuple_row)
        cursor.execute(
            """
            SELECT FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = %s AND c.relname = 'tasks' AND c.relkind = 'r'
              AND c.relowner = n.nspowner AND NOT c.relrowsecurity AND NOT c.relhasrules
              AND NOT c.relhassubclass
            """,
            [schema],
        )
        if cursor.fetchone() is None:
            return None
        cursor.execute(
            sql.SQL(
                "SELECT t.status, pg_catalog.count(*) FROM {}.tasks AS t GROUP BY t.status"
            ).format(sql.Identifier(schema))
        )
        return {str(status): int(str(number)) for status, number in cursor}


def guard(connection: Connection, name: str, schema: str) -> None:
    """One of sql/guards, by itself: refused is exit code 6, with the server's words."""
    try:
        with connection.transaction():
            connection.execute(assemble.guard(name, schema).encode())
    except (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.FeatureNotSupported,
        psycopg.errors.ReadOnlySqlTransaction,
    ) as error:
        diagnosis = error.diag
        hint = " ".join(filter(None, (diagnosis.message_detail, diagnosis.message_hint)))
        raise InstallerError(Exit.REFUSED, diagnosis.message_primary or str(error), hint) from error


def role_names(schema: str) -> tuple[str, ...]:
    """The group roles of a board."""
    return tuple(f"{schema}_{role}" for role in assemble.ROLES)


def roles(connection: Connection, schema: str) -> Roles:
    """Which group roles and memberships are missing."""
    cursor = connection.cursor(row_factory=tuple_row)
    names = list(role_names(schema))
    cursor.execute(
        "SELECT r.rolname FROM pg_catalog.pg_roles AS r WHERE r.rolname = ANY (%s)", [names]
    )
    present = {str(row[0]) for row in cursor}
    cursor.execute(
        """
        SELECT g.rolname, m.rolname
        FROM pg_catalog.pg_auth_members AS a
        JOIN pg_catalog.pg_roles AS g ON g.oid = a.roleid
        JOIN pg_catalog.pg_roles AS m ON m.oid = a.member
        WHERE g.rolname = ANY (%s) AND m.rolname = ANY (%s)
        """,
        [names, names],
    )
    members = {(str(group), str(member)) for group, member in cursor}
    missing = tuple(name for name in names if name not in present)
    statements = [f"CREATE ROLE {name} NOLOGIN;" for name in missing]
    statements += [
        f"GRANT {schema}_{group} TO {schema}_{member};"
        for group, member in assemble.MEMBERSHIPS
        if (f"{schema}_{group}", f"{schema}_{member}") not in members
    ]
    return Roles(missing, tuple(statements), _members(connection, schema))


def _members(connection: Connection, schema: str) -> tuple[Member, ...]:
    """Who is in the group roles, the group roles themselves and the schema's owner left out."""
    cursor = connection.cursor(row_factory=tuple_row)
    cursor.execute(
        """
        WITH RECURSIVE member AS (
            SELECT a.roleid AS groupid, a.member, NULL::oid AS through, a.admin_option AS admin
            FROM pg_catalog.pg_auth_members AS a
            JOIN pg_catalog.pg_roles AS g ON g.oid = a.roleid
            WHERE g.rolname = ANY (%(names)s)
            UNION
            SELECT m.groupid, a.member, m.member, a.admin_option
            FROM member AS m
            JOIN pg_catalog.pg_roles AS r ON r.oid = m.member AND r.rolname <> ALL (%(names)s)
            JOIN pg_catalog.pg_auth_members AS a ON a.roleid = m.member
        )
        SELECT pg_catalog.pg_get_userbyid(m.groupid), pg_catalog.pg_get_userbyid(m.member),
               pg_catalog.pg_get_userbyid(pg_catalog.min(m.through)), pg_catalog.bool_or(m.admin)
        FROM member AS m
        JOIN pg_catalog.pg_roles AS r ON r.oid = m.member
        WHERE r.rolname <> ALL (%(names)s)
          AND r.oid IS DISTINCT FROM (SELECT n.nspowner FROM pg_catalog.pg_namespace AS n
                                      WHERE n.nspname = %(schema)s)
        GROUP BY m.groupid, m.member
        ORDER BY pg_catalog.array_position(%(names)s, pg_catalog.pg_get_userbyid(m.groupid)::text),
                 2
        """,
        {"names": list(role_names(schema)), "schema": schema},
    )
    return tuple(Member(str(a), str(b), c and str(c), bool(d)) for a, b, c, d in cursor)


def install(
    connection: Connection,
    schema: str = "board",
    *,
    patience: Patience | None = None,
    say: Say = lambda _: None,
    root: Path | None = None,
) -> Outcome:
    """A fresh installation. The version that is there already: nothing changes."""
    patience = patience or Patience()
    script = _assembled(lambda: assemble.script(schema, root=root))
    shipped = assemble.version(root)

    def work() -> Outcome:
        guard(connection, "server", schema)
        found = _state(connection, schema)
        if found.form == "foreign":
            raise InstallerError(
                Exit.REFUSED,
                f"there is a schema {schema} of role {found.owner} already, and it is not a board",
                "Choose another name with --schema.",
            )
        if found.form != "none":
            if found.version == shipped:
                return Outcome(False, shipped, shipped, roles(connection, schema))
            raise InstallerError(
                Exit.REFUSED,
                f"schema {schema} holds board {found.version}; this is {shipped}",
                _how_to_upgrade(found),
            )
        connection.execute(script.encode())
        return Outcome(True, shipped, None, roles(connection, schema))

    return in_one_transaction(connection, schema, work, patience, say)


def upgrade(
    connection: Connection,
    schema: str = "board",
    *,
    repair: bool = False,
    patience: Patience | None = None,
    say: Say = lambda _: None,
    root: Path | None = None,
) -> Outcome:
    """From the installed release to this one, under live agents.

    With repair the code (functions, views, triggers, grants) is put in again though the release is
    the current one.
    """
    patience = patience or Patience()
    shipped = assemble.version(root)

    def work() -> Outcome:
        guard(connection, "server", schema)
        found = _demand_installed(connection, schema)
        lock_out_installers(connection, schema, patience)
        found = _demand_installed(connection, schema)
        assert found.version is not None
        if found.version == shipped and not repair:
            return Outcome(False, shipped, shipped, roles(connection, schema))
        if found.form == "extension" and found.version != shipped:
            raise InstallerError(
                Exit.REFUSED,
                f"board {found.version} was installed with CREATE EXTENSION; this is {shipped}",
                _how_to_upgrade(found),
            )
        guard(connection, "contents", schema)
        form: assemble.Form = "extension" if found.form == "extension" else "plain"
        version = found.version
        script = _assembled(lambda: assemble.upgrade_script(version, schema, form, root=root))
        connection.execute(script.encode())
        return Outcome(True, shipped, version, roles(connection, schema))

    return in_one_transaction(connection, schema, work, patience, say)


def data(connection: Connection, schema: str) -> dict[str, str]:
    """The tables that hold somebody's rows, not those that an installation makes by itself, and
    how many there are: counted, or from a million on as autovacuum last saw it."""
    seeded = assemble.seeded_tables()
    cursor = connection.cursor(row_factory=tuple_row)
    cursor.execute(
        """
        SELECT c.relname, c.reltuples::bigint FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = pg_catalog.to_regnamespace(%s) AND c.relkind IN ('r', 'p')
        ORDER BY c.relname
        """,
        [schema],
    )
    holding = {}
    for table, about in [(str(row[0]), int(row[1])) for row in cursor if row[0] not in seeded]:
        if about > 1_000_000:
            holding[table] = f"about {about:,} rows"
            continue
        cursor.execute(
            sql.SQL("SELECT pg_catalog.count(*) FROM {}").format(sql.Identifier(schema, table))
        )
        row = cursor.fetchone()
        if row is not None and row[0]:
            holding[table] = f"{row[0]:,} row{'' if row[0] == 1 else 's'}"
    return holding


def dependents(connection: Connection, schema: str) -> list[str]:
    """Objects outside the schema that would go with it: views on its tables, foreign keys, ..."""
    cursor = connection.cursor(row_factory=tuple_row)
    cursor.execute(
        """
        WITH inside AS (
            SELECT 'pg_class'::regclass AS classid, c.oid FROM pg_class AS c
            WHERE c.relnamespace = to_regnamespace(%(schema)s)
            UNION ALL
            SELECT 'pg_proc'::regclass, p.oid FROM pg_proc AS p
            WHERE p.pronamespace = to_regnamespace(%(schema)s)
            UNION ALL
            SELECT 'pg_type'::regclass, t.oid FROM pg_type AS t
            WHERE t.typnamespace = to_regnamespace(%(schema)s)
            UNION ALL
            SELECT 'pg_extension'::regclass, e.oid FROM pg_extension AS e
            WHERE e.extnamespace = to_regnamespace(%(schema)s)
        )
        SELECT DISTINCT
            o.type || ' ' || o.identity
        FROM inside AS i
        JOIN pg_depend AS d ON d.refclassid = i.classid AND d.refobjid = i.oid
        LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
        -- What is called a rule in the catalog is a view to people.
        CROSS JOIN LATERAL pg_identify_object(
            CASE WHEN w.rulename = '_RETURN' THEN 'pg_class'::regclass ELSE d.classid END,
            CASE WHEN w.rulename = '_RETURN' THEN w.ev_class ELSE d.objid END,
            CASE WHEN w.rulename = '_RETURN' THEN 0 ELSE d.objsubid END) AS o
        LEFT JOIN pg_trigger AS g ON d.classid = 'pg_trigger'::regclass AND g.oid = d.objid
        LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
        LEFT JOIN pg_attrdef AS a ON d.classid = 'pg_attrdef'::regclass AND a.oid = d.objid
        LEFT JOIN pg_policy AS y ON d.classid = 'pg_policy'::regclass AND y.oid = d.objid
        LEFT JOIN pg_class AS h
               ON h.oid = COALESCE(
                   w.ev_class, g.tgrelid, NULLIF(k.conrelid, 0), a.adrelid, y.polrelid)
        LEFT JOIN pg_namespace AS n ON n.oid = h.relnamespace
        WHERE d.deptype IN ('n', 'a')
          AND COALESCE(n.nspname, o.schema, '') NOT IN (%(schema)s, 'pg_toast')
        ORDER BY 1
        """,
        {"schema": schema},
    )
    return [str(row[0]) for row in cursor]


def uninstall(
    connection: Connection,
    schema: str = "board",
    *,
    drop_data: bool = False,
    drop_roles: bool = False,
    cascade: bool = False,
    patience: Patience | None = None,
    say: Say = lambda _: None,
) -> Outcome:
    """Removes the schema. Refuses while there are rows in it, or objects outside it on it."""
    patience = patience or Patience()

    def work() -> Outcome:
        guard(connection, "server", schema)
        found = _demand_installed(connection, schema)
        lock_out_installers(connection, schema, patience)
        guard(connection, "contents", schema)
        holding = data(connection, schema)
        rows = ", ".join(f"{schema}.{name} ({number})" for name, number in holding.items())
        if holding and not drop_data:
            raise InstallerError(
                Exit.REFUSED,
                f"there are rows in {rows}",
                "Take a dump first if they matter; --drop-data drops them.",
            )
        outside = dependents(connection, schema)
        if outside and not cascade:
            raise InstallerError(
                Exit.REFUSED,
                f"outside the schema, these depend on it: {'; '.join(outside)}",
                "Drop them first, or say --cascade to have them dropped too.",
            )
        if rows:
            say(f"dropping with their rows: {rows}")
        if outside:
            say(f"dropping too: {'; '.join(outside)}")
        connection.execute(assemble.guard("lock_tables", schema).encode())
        prepare(connection, lock_timeout=patience.lock)
        if found.form == "extension":
            connection.execute("DROP EXTENSION board" + (" CASCADE" if cascade else ""))
            if (left := contents(connection, schema)) and not cascade:
                raise InstallerError(
                    Exit.REFUSED,
                    f"in schema {schema}, and not the extension's: {'; '.join(left)}",
                    "Move or drop them first, or say --cascade to have them dropped too.",
                )
        connection.execute(
            sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema))
        )
        notices = _drop_roles(connection, schema) if drop_roles else []
        left_over = roles(connection, schema)
        return Outcome(True, None, found.version, left_over, tuple(notices))

    return in_one_transaction(connection, schema, work, patience, say)


def contents(connection: Connection, schema: str) -> list[str]:
    """What is in a schema."""
    cursor = connection.cursor(row_factory=tuple_row)
    cursor.execute(
        """
        SELECT pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid)
        FROM pg_catalog.pg_depend AS d
        WHERE d.refclassid = 'pg_namespace'::pg_catalog.regclass
          AND d.refobjid = pg_catalog.to_regnamespace(%s) AND d.deptype = 'n'
        ORDER BY 1
        """,
        [schema],
    )
    return [str(row[0]) for row in cursor]


def _drop_roles(connection: Connection, schema: str) -> list[str]:
    """Drops the group roles that are there; says which of them stay, and why."""
    gone = roles(connection, schema).missing
    notices = []
    for name in reversed(role_names(schema)):
        if name in gone:
            continue
        try:
            with connection.transaction():
                connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))
        except psycopg.Error as error:
            why = (error.diag.message_detail or "").splitlines()
            notices.append("; ".join([f"role {name} stays: {error.diag.message_primary}", *why]))
    return notices


def script_text(
    schema: str = "board",
    form: assemble.Form = "plain",
    *,
    upgrade_from: str | None = None,
    repair: bool = False,
    transaction: bool = True,
    root: Path | None = None,
) -> str:
    """The SQL for people who run it themselves, with a head that says how."""
    shipped = assemble.version(root)
    start = shipped if repair else upgrade_from
    if start is None:
        what = f"install board {shipped}"
        body = _assembled(lambda: assemble.script(schema, form, root=root))
    else:
        what = f"upgrade board {start} to {shipped}"
        body = _assembled(lambda: assemble.upgrade_script(start, schema, form, root=root))
    if start == shipped:
        what = f"repair board {shipped}: functions, views, triggers and grants are put in again,"
    elif form == "extension":
        name = f"board--{shipped}.sql" if start is None else f"board--{start}--{shipped}.sql"
        return (
            f"-- {what}: the file {name} of the extension form, for the server's share/extension\n"
            "-- folder. Not to be fed to psql: CREATE EXTENSION board runs it.\n\n" + body
        )
    if transaction:
        flags = "-v ON_ERROR_STOP=1"
        how = "One transaction: all of it is done, or nothing."
    else:
        flags = "-1 -v ON_ERROR_STOP=1"
        how = "Without BEGIN and COMMIT: whatever runs it must put it into ONE transaction."
    who = "as the owner of the database" if start is None else "as the owner of the board"
    head = (
        f"-- {what} in schema {schema}.\n"
        f"-- Run it {who}:  psql -X {flags} -f this-file.sql DATABASE\n"
        f"-- {how}\n"
    )
    if not transaction:
        return f"{head}\n{body}"
    return f"{head}\nBEGIN;\n\n{body}\nCOMMIT;\n"


# How it is done.


def _assembled(build: Callable[[], str]) -> str:
    try:
        return build()
    except assemble.UsageError as error:
        raise InstallerError(Exit.USAGE, str(error)) from error
    except assemble.AssembleError as error:
        raise InstallerError(Exit.REFUSED, str(error)) from error


def _how_to_upgrade(found: State) -> str:
    if found.form == "extension":
        return "Run in psql, as its owner: ALTER EXTENSION board UPDATE;"
    return "Run: python -m installer upgrade"


def _demand_installed(connection: Connection, schema: str) -> State:
    found = _state(connection, schema)
    if found.form in ("none", "foreign"):
        raise InstallerError(
            Exit.NOT_INSTALLED,
            f"there is no board in schema {schema} of database {connection.info.dbname}",
            "Run: python -m installer install",
        )
    return found
