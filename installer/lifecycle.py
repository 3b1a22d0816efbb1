"""install, upgrade, uninstall, and what state a database is in.

Everything that changes a database does so in one transaction, under an advisory lock that a second
installer waits for. A failing statement leaves the database as it was.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeVar

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from installer import assemble
from installer.errors import Exit, InstallerError
from installer.target import Connection

T = TypeVar("T")
Say = Callable[[str], None]


@dataclass(frozen=True)
class State:
    """What is under a schema name."""

    form: Literal["none", "plain", "extension", "foreign"]
    version: str | None = None
    installed_at: datetime | None = None
    installed_by: str | None = None
    owner: str | None = None


@dataclass(frozen=True)
class Roles:
    """The group roles that are not there, and what an administrator would run."""

    missing: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    changed: bool
    version: str | None
    before: str | None = None
    roles: Roles = field(default_factory=Roles)
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Patience:
    """How long a command waits for others, in seconds."""

    total: float = 60.0
    lock: float = 3.0  # lock_timeout of a single statement


def lock_key(schema: str) -> int:
    """The advisory lock of installers of one schema: 63 bits of SHA-256."""
    digest = hashlib.sha256(f"board installer:{schema}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def state(connection: Connection, schema: str) -> State:
    """What is installed under that schema name, if anything."""
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
               pg_catalog.to_regclass(pg_catalog.format('%%I.releases', n.nspname)) IS NOT NULL
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
        cursor.execute(
            sql.SQL(
                "SELECT r.version, r.installed_at, r.installed_by FROM {}.releases AS r "
                "ORDER BY r.installed_at DESC LIMIT 1"
            ).format(sql.Identifier(schema))
        )
    except psycopg.errors.InsufficientPrivilege as error:
        raise InstallerError(
            Exit.REFUSED,
            f"role {connection.info.user} may not look into schema {schema}",
            f"Connect as its owner, {owner}, or as a member of {schema}_viewer.",
        ) from error
    release = cursor.fetchone()
    if release is None:
        return State("foreign", owner=owner)
    return State("plain", release[0], release[1], release[2], owner)


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
    return Roles(missing, tuple(statements))


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
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise InstallerError(
            Exit.REFUSED,
            f"database {connection.info.dbname} is encoded in {encoding}",
            "board needs UTF8: CREATE DATABASE ... TEMPLATE template0 ENCODING 'UTF8';",
        )

    def work() -> Outcome:
        found = state(connection, schema)
        if found.form == "foreign":
            raise InstallerError(
                Exit.REFUSED,
                f"there is a schema {schema} already, and it is not a board",
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

    return _transaction(connection, schema, work, patience, say)


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
        found = _demand_installed(connection, schema)
        if found.form == "extension":
            raise InstallerError(
                Exit.REFUSED,
                f"board {found.version} was installed with CREATE EXTENSION",
                _how_to_upgrade(found),
            )
        assert found.version is not None
        if found.version == shipped and not repair:
            return Outcome(False, shipped, shipped, roles(connection, schema))
        version = found.version
        script = _assembled(lambda: assemble.upgrade_script(version, schema, root=root))
        connection.execute(script.encode())
        return Outcome(True, shipped, version, roles(connection, schema))

    return _transaction(connection, schema, work, patience, say)


def data(connection: Connection, schema: str) -> list[str]:
    """The tables that hold somebody's rows, not those that an installation makes by itself."""
    seeded = assemble.seeded_tables()
    cursor = connection.cursor(row_factory=tuple_row)
    cursor.execute(
        """
        SELECT c.relname FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = pg_catalog.to_regnamespace(%s) AND c.relkind IN ('r', 'p')
        ORDER BY c.relname
        """,
        [schema],
    )
    tables = [str(row[0]) for row in cursor if row[0] not in seeded]
    holding = []
    for table in tables:
        cursor.execute(
            sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(schema, table))
        )
        row = cursor.fetchone()
        if row is not None and row[0]:
            holding.append(table)
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
        )
        SELECT DISTINCT
            o.type || ' ' || o.identity
        FROM inside AS i
        JOIN pg_depend AS d ON d.refclassid = i.classid AND d.refobjid = i.oid
        CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
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
        found = _demand_installed(connection, schema)
        if not drop_data and (holding := data(connection, schema)):
            raise InstallerError(
                Exit.REFUSED,
                f"there are rows in {', '.join(f'{schema}.{name}' for name in holding)}",
                "Take a dump first if they matter; --drop-data drops them.",
            )
        if found.form == "extension":
            if not cascade:
                connection.execute("DROP EXTENSION board")
            else:
                connection.execute("DROP EXTENSION board CASCADE")
        elif not cascade and (outside := dependents(connection, schema)):
            raise InstallerError(
                Exit.REFUSED,
                f"outside the schema, these depend on it: {'; '.join(outside)}",
                "Drop them first, or say --cascade to have them dropped too.",
            )
        connection.execute(
            sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema))
        )
        notices = []
        if drop_roles:
            for role in reversed(assemble.ROLES):
                name = f"{schema}_{role}"
                try:
                    with connection.transaction():
                        connection.execute(
                            sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(name))
                        )
                except psycopg.Error as error:
                    notices.append(f"role {name} stays: {error.diag.message_primary}")
        left = roles(connection, schema)
        return Outcome(True, None, found.version, left, tuple(notices))

    return _transaction(connection, schema, work, patience, say)


def script_text(
    schema: str = "board",
    form: assemble.Form = "plain",
    *,
    upgrade_from: str | None = None,
    transaction: bool = True,
    root: Path | None = None,
) -> str:
    """The SQL for people who run it themselves, with a head that says how."""
    shipped = assemble.version(root)
    if upgrade_from is None:
        what = f"install board {shipped}"
        body = _assembled(lambda: assemble.script(schema, form, root=root))
    else:
        what = f"upgrade board {upgrade_from} to {shipped}"
        body = _assembled(lambda: assemble.upgrade_script(upgrade_from, schema, form, root=root))
    if form == "extension":
        name = (
            f"board--{shipped}.sql"
            if upgrade_from is None
            else (f"board--{upgrade_from}--{shipped}.sql")
        )
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
    head = (
        f"-- {what} in schema {schema}.\n"
        f"-- Run it as the owner of the board:  psql {flags} -f this-file.sql DATABASE\n"
        f"-- {how}\n"
    )
    lock = f"SELECT pg_catalog.pg_advisory_xact_lock({lock_key(schema)});\n"
    if not transaction:
        return f"{head}\n{lock}\n{body}"
    return f"{head}\nBEGIN;\n{lock}\n{body}\nCOMMIT;\n"


# How it is done.


def _assembled(build: Callable[[], str]) -> str:
    try:
        return build()
    except assemble.AssembleError as error:
        raise InstallerError(Exit.REFUSED, str(error)) from error


def _how_to_upgrade(found: State) -> str:
    if found.form == "extension":
        return "Run in psql, as its owner: ALTER EXTENSION board UPDATE;"
    return "Run: python -m installer upgrade"


def _demand_installed(connection: Connection, schema: str) -> State:
    found = state(connection, schema)
    if found.form in ("none", "foreign"):
        raise InstallerError(
            Exit.NOT_INSTALLED,
            f"there is no board in schema {schema} of database {connection.info.dbname}",
            "Run: python -m installer install",
        )
    return found


def _transaction(
    connection: Connection,
    schema: str,
    work: Callable[[], T],
    patience: Patience,
    say: Say,
) -> T:
    """Runs work in one transaction under the installers' lock, again when others are in the way."""
    deadline = time.monotonic() + patience.total
    pause = 0.1
    while True:
        try:
            with connection.transaction():
                _prepare(connection, patience)
                _take_lock(connection, schema, deadline, patience, say)
                return work()
        except psycopg.Error as error:
            if not _others_in_the_way(error):
                raise InstallerError(
                    Exit.FAILED,
                    _told(error),
                    "Nothing was changed."
                    if not connection.closed
                    else "The connection broke; "
                    "unless it had just committed, nothing was changed: python -m installer status",
                ) from error
            if time.monotonic() + pause > deadline:
                raise InstallerError(
                    Exit.LOCKED,
                    f"others held what was needed for {patience.total:g} s: {_told(error)}",
                    "Nothing was changed. Try at a quieter moment, or with a longer --wait.",
                ) from error
            say(f"live sessions are in the way ({error.diag.message_primary}); trying again")
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, 2.0)


def _prepare(connection: Connection, patience: Patience) -> None:
    connection.execute(
        """
        SELECT pg_catalog.set_config(s.name, s.value, true)
        FROM (VALUES ('search_path', 'pg_catalog, pg_temp'),
                     ('lock_timeout', %s),
                     ('statement_timeout', '0'),
                     ('idle_in_transaction_session_timeout', '0')) AS s (name, value)
        """,
        [f"{int(patience.lock * 1000)}ms"],
    )


def _take_lock(
    connection: Connection, schema: str, deadline: float, patience: Patience, say: Say
) -> None:
    told = False
    while True:
        row = connection.execute(
            "SELECT pg_catalog.pg_try_advisory_xact_lock(%s)", [lock_key(schema)]
        ).fetchone()
        if row is not None and row[0]:
            return
        if not told:
            say(f"another installer is at work here; waiting up to {patience.total:g} s for it")
            told = True
        if time.monotonic() > deadline:
            raise InstallerError(
                Exit.LOCKED,
                f"another installer has been at work here for {patience.total:g} s",
                "See who: SELECT * FROM pg_stat_activity WHERE application_name = "
                "'board-installer'. Nothing was changed.",
            )
        time.sleep(0.2)


def _others_in_the_way(error: psycopg.Error) -> bool:
    """Whether the same transaction may well succeed in a moment."""
    if error.sqlstate in ("55P03", "40P01", "40001"):  # lock_timeout, deadlock, serialization
        return True
    if error.sqlstate == "57014":  # the bounded lock phase of an upgrade; a user's cancel is not
        return "statement timeout" in (error.diag.message_primary or "")
    if error.sqlstate == "XX000":  # two transactions change one row of a shared catalog
        return "concurrently" in (error.diag.message_primary or "")
    # Two databases of one cluster make the same role at the same moment.
    return error.sqlstate == "23505" and error.diag.table_name in ("pg_authid", "pg_auth_members")


def _told(error: psycopg.Error) -> str:
    """What the server said, with what helps to find the place."""
    diagnosis = error.diag
    if diagnosis.message_primary is None:
        return str(error).strip()
    lines = [f"{diagnosis.severity}: {diagnosis.message_primary} ({error.sqlstate})"]
    for label, text in (
        ("detail", diagnosis.message_detail),
        ("hint", diagnosis.message_hint),
        ("context", diagnosis.context),
    ):
        if text:
            lines.append(f"{label}: {text}")
    return "\n".join(lines)
