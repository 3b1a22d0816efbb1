"""Writes docs/reference.md from the COMMENTs of an installed board: make docs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, LiteralString

import psycopg

from installer.assemble import script
from installer.server import Cluster, installations

ROOT = Path(__file__).resolve().parent.parent
WINGS = {
    "tasks": "Tasks: the life of an agent",
    "desk": "Desk: people and their tools",
    "schedules": "Schedules: recurring work",
    "events": "Events: the log and the feed",
    "providers": "Providers: rate budgets",
    "calls": "Calls: outbound steps that may be retried",
    "modes": "Modes: dry-run, shadow, live",
    "locks": "Locks: resources that agents share",
    "identity": "Identity: names of agents",
    "gateway": "Gateway: tokens and request()",
    "signing": "Signing: keys and signatures",
    "maintenance": "Maintenance",
}

FUNCTIONS: LiteralString = """
SELECT p.proname,
       pg_get_function_arguments(p.oid),
       pg_get_function_result(p.oid),
       obj_description(p.oid, 'pg_proc'),
       ARRAY(SELECT a.name || ' => $' || a.n || '::' || format_type(a.type, NULL)
               FROM unnest(p.proargnames[:p.pronargs], p.proargtypes::oid[]) WITH ORDINALITY
                 AS a (name, type, n)
              ORDER BY a.n),
       p.proretset,
       ARRAY(SELECT r.rolname::text
               FROM aclexplode(p.proacl) AS x JOIN pg_roles AS r ON r.oid = x.grantee
              WHERE r.rolname ~ '^board_(viewer|agent|operator|admin|gateway)$' ORDER BY 1)
  FROM pg_proc AS p
 WHERE p.pronamespace = 'board'::regnamespace AND p.proname = %s
 ORDER BY p.pronargs
"""
RELATIONS: LiteralString = """
SELECT c.relname, obj_description(c.oid, 'pg_class'),
       ARRAY(SELECT ARRAY[a.attname::text, format_type(a.atttypid, a.atttypmod),
                          col_description(c.oid, a.attnum)]
               FROM pg_attribute AS a
              WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
              ORDER BY a.attnum)
  FROM pg_class AS c
 WHERE c.relnamespace = 'board'::regnamespace AND c.relkind = %s
 ORDER BY c.relname
"""


def functions(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """The public functions, wing by wing, each as its own COMMENT says."""
    folder = ROOT / "sql" / "functions"
    untitled = {path.parent.name for path in folder.glob("*/[!_]*.sql")} - set(WINGS)
    if untitled:
        raise LookupError(f"docs/generate.py has no title for {sorted(untitled)}")
    for wing, title in WINGS.items():
        yield f"## {title}\n"
        for path in sorted((folder / wing).glob("[!_]*.sql")):
            rows = connection.execute(FUNCTIONS, (path.stem,)).fetchall()
            for name, arguments, result, comment, casts, returns_set, roles in rows:
                role = ", ".join(roles) or "owner"
                star = "* FROM " if returns_set else ""
                yield f"### {name}\n"
                yield f"`board.{name}({arguments})` → `{result}` ({role})\n"
                yield f"```text\n{comment}\n```\n"
                if casts:
                    call = f"SELECT {star}board.{name}({', '.join(casts)})"
                    yield f"With explicit casts: `{call}`\n"


def relations(connection: psycopg.Connection[Any], kind: str) -> Iterator[str]:
    """Views or tables with their columns."""
    for name, comment, columns in connection.execute(RELATIONS, (kind,)).fetchall():
        yield f"### {name}\n"
        yield f"{comment}\n"
        yield "| column | type | |\n| --- | --- | --- |"
        for column, type_, text in columns:
            yield f"| `{column}` | {type_} | {(text or '').replace('|', '&#124;')} |"
        yield ""


def reference(connection: psycopg.Connection[Any]) -> str:
    """The whole page, as text that ends in a line break."""
    parts = [
        "# Reference\n",
        (
            "Made by `make docs` from the COMMENTs in the database; `\\df+ board.*` and"
            " `SELECT board.help('NAME')` say the same. In brackets: the roles that may call it;"
            " each may also do what the ones before it may (viewer, agent, operator, admin).\n"
        ),
        *functions(connection),
        "## Views\n",
        *relations(connection, "v"),
        "## Tables\n",
        (
            "Tables are written by functions and by their owner only; roles may read `tasks` and"
            " `task_events`.\n"
        ),
        *relations(connection, "r"),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def main() -> None:
    """Installs the board of this checkout in a server of its own, and writes the page from it."""
    with (
        Cluster(installations()[-1]) as server,
        psycopg.connect(server.dsn(), autocommit=True) as connection,
    ):
        connection.execute(script().encode())
        (ROOT / "docs" / "reference.md").write_text(reference(connection))


if __name__ == "__main__":
    main()
