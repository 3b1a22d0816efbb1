"""verify: the catalog of the live board against the shipped one.

The shipped script is installed a second time, under another schema name, in a transaction that is
rolled back; then the two catalogs are compared by the server that holds them both. So it is right
for every version of PostgreSQL, and nothing is left behind.
"""

from __future__ import annotations

import difflib
import secrets
from pathlib import Path

import psycopg
from psycopg.rows import tuple_row
from rich.console import Console
from rich.table import Table
from rich.text import Text

from installer import assemble, lifecycle
from installer.catalog import Difference, Snapshot, compare, snapshot
from installer.errors import Exit, InstallerError
from installer.fixpoint import differing
from installer.target import Connection
from installer.waiting import prepare, told


def verify(
    connection: Connection, schema: str = "board", *, root: Path | None = None
) -> list[Difference]:
    """All differences between what is in the database and what this release ships."""
    found = lifecycle.state(connection, schema)
    if found.form in ("none", "foreign"):
        raise InstallerError(
            Exit.NOT_INSTALLED,
            f"there is no board in schema {schema} of database {connection.info.dbname}",
            "Run: python -m installer install",
        )
    shipped = assemble.version(root)
    if found.version != shipped:
        raise InstallerError(
            Exit.DIFFERENT,
            f"schema {schema} holds board {found.version}; this installer carries {shipped}",
            "Verify with the installer of that release, or upgrade first.",
        )
    if lifecycle.standby(connection):
        raise InstallerError(
            Exit.REFUSED,
            f"this server is a standby; schema {schema} holds board {found.version}, as this "
            "installer does",
            "verify tries the shipped script beside the live one and takes it back: connect to the "
            "primary. What holds there holds here a moment later.",
        )
    missing = lifecycle.roles(connection, schema)
    # Short: names that PostgreSQL makes up from it must not be cut at 63 characters.
    scratch = f"board_{secrets.token_hex(4)}"
    script = assemble.script(scratch, roles=schema, root=root)
    differences: list[Difference] = []
    try:
        with connection.transaction(force_rollback=True):
            prepare(connection, lock_timeout=5)
            connection.execute(script.encode())
            live = snapshot(connection, schema)
            fresh = snapshot(connection, scratch, stands_for=schema)
            differences += differing(
                connection,
                schema,
                scratch,
                fresh,
                compare(
                    _without_grantees(fresh, missing.missing),
                    _without_grantees(live, missing.missing),
                ),
            )
    except psycopg.errors.InsufficientPrivilege as error:
        raise InstallerError(
            Exit.FAILED,
            f"the shipped script could not be tried beside the live one: {told(error)}",
            "verify needs CREATE on the database; it leaves nothing behind.",
        ) from error
    except psycopg.Error as error:
        raise InstallerError(
            Exit.FAILED,
            f"the shipped script could not be tried beside the live one: {told(error)}",
            "Nothing was changed.",
        ) from error
    differences += [Difference("missing", "role", name) for name in missing.missing]
    differences += _odd_roles(connection, schema, missing)
    return differences


def _without_grantees(catalog: Snapshot, names: tuple[str, ...]) -> Snapshot:
    """Leaves out grants to roles that do not exist: said once, not for each object."""
    prefixes = tuple(f"{name}=" for name in names)
    if not prefixes:
        return catalog
    for properties in catalog.values():
        if "privileges" in properties:
            kept = [e for e in properties["privileges"].split(" ") if not e.startswith(prefixes)]
            properties["privileges"] = " ".join(kept)
    return catalog


def _odd_roles(connection: Connection, schema: str, missing: lifecycle.Roles) -> list[Difference]:
    """Group roles that can do more, or are less, than shipped."""
    names = [f"{schema}_{role}" for role in assemble.ROLES]
    cursor = connection.cursor(row_factory=tuple_row)
    cursor.execute(
        """
        SELECT r.rolname, pg_catalog.concat_ws(' ',
                   CASE WHEN r.rolsuper THEN 'superuser' END,
                   CASE WHEN r.rolcreaterole THEN 'createrole' END,
                   CASE WHEN r.rolcreatedb THEN 'createdb' END,
                   CASE WHEN r.rolcanlogin THEN 'login' END,
                   CASE WHEN r.rolreplication THEN 'replication' END,
                   CASE WHEN r.rolbypassrls THEN 'bypassrls' END),
               pg_catalog.array_to_string(ARRAY(
                   SELECT g.rolname::text FROM pg_catalog.pg_auth_members AS a
                   JOIN pg_catalog.pg_roles AS g ON g.oid = a.roleid
                   WHERE a.member = r.oid ORDER BY 1), ' ')
        FROM pg_catalog.pg_roles AS r WHERE r.rolname = ANY (%s) ORDER BY 1
        """,
        [names],
    )
    differences = []
    for name, attributes, memberships in cursor:
        role = str(name)
        if attributes:
            differences.append(
                Difference("changed", "role", role, "attributes", "", str(attributes))
            )
        wanted = " ".join(
            f"{schema}_{group}"
            for group, member in assemble.MEMBERSHIPS
            if f"{schema}_{member}" == role and f"{schema}_{group}" not in missing.missing
        )
        if memberships != wanted:
            differences.append(
                Difference("changed", "role", role, "member of", wanted, str(memberships))
            )
    return differences


def report(console: Console, differences: list[Difference]) -> None:
    """A table that a person can act on."""
    table = Table(show_lines=True, title=None)
    table.add_column("problem", no_wrap=True)
    table.add_column("object")
    table.add_column("what", overflow="fold")
    colour = {"missing": "red", "foreign": "yellow", "changed": "magenta"}
    for one in differences:
        table.add_row(
            Text(one.problem, style=colour[one.problem]),
            Text(f"{one.sort} {one.name}"),
            Text(_explained(one)),
        )
    console.print(table)


def _explained(one: Difference) -> str:
    if one.problem == "missing":
        return "shipped, but not here"
    if one.problem == "foreign":
        return "here, but not shipped"
    if one.property == "privileges":
        shipped, found = set(one.shipped.split()), set(one.found.split())
        return "\n".join(
            [f"privileges, shipped: {entry}" for entry in sorted(shipped - found)]
            + [f"privileges, here:    {entry}" for entry in sorted(found - shipped)]
        )
    if "\n" in one.shipped or "\n" in one.found:
        lines = list(
            difflib.unified_diff(
                one.shipped.splitlines(), one.found.splitlines(), "shipped", "here", "", "", 1, ""
            )
        )
        more = f"\n... {len(lines) - 20} more lines" if len(lines) > 20 else ""
        return f"{one.property}:\n" + "\n".join(lines[:20]) + more
    return (
        f"{one.property}, shipped: {one.shipped or '(none)'}\n"
        f"{one.property}, here:    {one.found or '(none)'}"
    )
