"""docs/reference.md, written from the comments in a database: `make reference`.

A test compares the file with what the shipped board would give, so it cannot go stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from psycopg.rows import dict_row

from installer import assemble, lifecycle
from installer.embedded import EmbeddedServer
from installer.target import Connection, Target, connect

WINGS = {
    "tasks": "Tasks: the verbs of agents",
    "desk": "Desk: the verbs of operators",
    "events": "Events: the log and its feed",
    "providers": "Providers and their budgets",
    "calls": "Calls to providers",
    "modes": "Dry-run, shadow, live",
    "locks": "Resource locks",
    "access": "Access: agents, tokens, signatures",
    "maintenance": "Maintenance and help",
}

_FUNCTIONS = """
SELECT p.proname AS name, pg_get_function_arguments(p.oid) AS arguments,
       pg_get_function_result(p.oid) AS result, obj_description(p.oid, 'pg_proc') AS comment,
       (SELECT role
        FROM (VALUES (1, 'viewer'), (2, 'agent'), (3, 'operator'), (4, 'admin'), (5, 'gateway'))
             AS r (place, role)
        WHERE has_function_privilege('board_' || role, p.oid, 'EXECUTE')
        ORDER BY place LIMIT 1) AS role
FROM pg_proc AS p
WHERE p.pronamespace = 'board'::regnamespace AND p.proname NOT LIKE '\\_%'
ORDER BY p.proname COLLATE "C", 2
"""

_RELATIONS = """
SELECT c.relname AS name, c.relkind = 'v' AS is_view,
       COALESCE(obj_description(c.oid, 'pg_class'),
                obj_description(c.reltype, 'pg_type')) AS comment,
       (SELECT jsonb_agg(
                   jsonb_build_array(a.attname, format_type(a.atttypid, a.atttypmod),
                                     col_description(c.oid, a.attnum))
                   ORDER BY a.attnum)
        FROM pg_attribute AS a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
FROM pg_class AS c
WHERE c.relnamespace = 'board'::regnamespace AND c.relkind IN ('r', 'v', 'c')
ORDER BY c.relkind <> 'v', c.relkind <> 'r', c.relname COLLATE "C"
"""


_HEAD = (
    "Written from the comments in the database by `make reference`; edit those. The same text is",
    "in psql: `\\df+ board.*`, `\\d+ board.tasks`, `SELECT board.help();`",
    "",
    "Parameters may be given by name (`agent => 'a'`). With drivers that send everything as text",
    "or as bigint, cast: `board.complete($1::uuid, $2::text, $3::jsonb, $4::integer)`.",
)


def render(connection: Connection) -> str:
    """The page, from the comments of the board in schema board."""
    return _squeezed("\n".join(_lines(connection)) + "\n")


def _lines(connection: Connection) -> Iterator[str]:
    yield "# Reference"
    yield ""
    yield from _HEAD
    with connection.cursor(row_factory=dict_row) as cursor:
        functions = cursor.execute(_FUNCTIONS.encode()).fetchall()
        relations = cursor.execute(_RELATIONS.encode()).fetchall()
    wings = _wings()
    for wing, title in WINGS.items():
        yield ""
        yield f"## {title}"
        for one in functions:
            if wings.get(one["name"]) != wing:
                continue
            yield ""
            yield f"### {one['name']}"
            yield ""
            yield "```"
            yield from _signature(one["name"], one["arguments"], one["result"])
            yield "```"
            yield ""
            yield from _text(one["comment"])
            if one["role"]:
                above = " and the roles above it" if one["role"] not in ("admin", "gateway") else ""
                yield ""
                yield f"May be called by `board_{one['role']}`{above}."
    for heading, wanted in (("Views", True), ("Tables and types", False)):
        yield ""
        yield f"## {heading}"
        for one in relations:
            if one["is_view"] == wanted:
                yield ""
                yield f"### {one['name']}"
                yield ""
                yield from _text(one["comment"])
                yield ""
                yield "| column | type | |"
                yield "| --- | --- | --- |"
                for name, kind, comment in one["columns"]:
                    told = (comment or "").replace("|", "\\|").replace("\n", " ")
                    short = kind.replace("timestamp with time zone", "timestamptz")
                    yield f"| `{name}` | {short} | {told} |".replace("  |", " |")


def _wings() -> dict[str, str]:
    """Which wing a public function belongs to: the folder of its file."""
    folder = assemble.sql_root() / "functions"
    return {path.stem: path.parent.name for path in folder.glob("*/[!_]*.sql")}


def _signature(name: str, arguments: str, result: str) -> Iterator[str]:
    plain = arguments.replace(" DEFAULT ", " = ")
    for cast in ("text", "jsonb", "integer", "interval", "boolean", "uuid", "numeric", "text[]"):
        plain = plain.replace(f"NULL::{cast},", "NULL,")
        plain = plain.removesuffix(f"::{cast}")
        plain = plain.replace(f"'::{cast},", "',")
    plain = plain.replace("timestamp with time zone", "timestamptz")
    plain = plain.replace("NULL::timestamptz", "NULL")
    result = result.replace("timestamp with time zone", "timestamptz")
    line = f"board.{name}({plain}) -> {result}"
    if len(line) <= 100:
        yield line
        return
    yield f"board.{name}("
    parts = plain.split(", ")
    for place, part in enumerate(parts):
        yield f"    {part}{',' if place < len(parts) - 1 else ''}"
    yield f") -> {result}"


def _text(comment: str | None) -> Iterator[str]:
    """A comment as Markdown: its lists of arguments and its examples are kept as they stand."""
    for paragraph in (comment or "(no comment)").strip().split("\n\n"):
        lines = paragraph.split("\n")
        if all("  " in line for line in lines):
            yield "```"
            yield from lines
            yield "```"
        else:
            for place, line in enumerate(lines):
                begins = line.startswith(("Errors:", "Example:", "Source:", "Returns"))
                if begins and place:
                    yield ""
                if line.startswith("Example: "):
                    yield f"Example: `{line.removeprefix('Example: ')}`"
                else:
                    yield line.replace("<", "&lt;")
        yield ""


def main() -> int:
    """Writes the page to the file named, from a board installed for the purpose."""
    with EmbeddedServer.temporary() as server, connect(Target(server.dsn(), "")) as connection:
        lifecycle.install(connection)
        text = render(connection)
    Path(sys.argv[1]).write_text(text, "utf-8")
    return 0


def _squeezed(text: str) -> str:
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text


if __name__ == "__main__":
    sys.exit(main())
