"""Writes docs/reference.md from the COMMENTs of an installed board, and what other pages take from
the sources: tables of SQLSTATEs, the index of functions and the lock orders of sql/README.md.

make docs, or python docs/generate.py in any checkout."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, LiteralString

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # this checkout, whichever one is installed

from installer.assemble import LOCK_ORDER, script  # noqa: E402
from installer.server import Cluster, installations  # noqa: E402
from tests.support import bodies  # noqa: E402
from tests.support.sources import Source, sources  # noqa: E402

WINGS = {
    "tasks": "Tasks: the life of an agent",
    "desk": "Desk: people and their tools",
    "needs": "Needs: tasks that wait for tasks",
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
            "Made by `make docs` from the COMMENTs in the database; `\\df+ board.NAME` and"
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


CODES: LiteralString = (
    "SELECT e.code, e.name, e.meaning, e.advice, e.http FROM board._error_codes() WITH ORDINALITY"
    "    AS e (code, name, http, meaning, advice, place) ORDER BY e.place"
)


def error_tables(connection: psycopg.Connection[Any]) -> Iterator[tuple[str, str]]:
    """The pages with a table of SQLSTATEs, and the table."""
    rows = connection.execute(CODES).fetchall()
    yield (
        "README.md",
        "| SQLSTATE | name | meaning | what to do |\n| --- | --- | --- | --- |\n"
        + "".join(f"| {code} | {name} | {text} | {todo} |\n" for code, name, text, todo, _ in rows),
    )
    over_http = sorted((row for row in rows if row[4]), key=lambda row: int(row[4]))
    yield (
        "docs/http.md",
        "| status | SQLSTATE | name | meaning |\n| --- | --- | --- | --- |\n"
        + "".join(
            f"| {http} | {code} | {name} | {text} |\n" for code, name, text, _, http in over_http
        ),
    )


# The life of a task, and in what order its verbs are met. A public function that stands in no list
# comes at the end of the stage that has its wing.
STAGES: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("A task comes onto the board", ("enqueue", "enqueue_many", "enqueue_plan"), ()),
    ("Recurring work", (), ("schedules",)),
    ("An agent looks for work", ("claim", "claim_task", "next_due", "explain"), ()),
    (
        "It holds the task",
        ("heartbeat", "complete", "complete_many", "fail", "release", "escalate"),
        ("tasks",),
    ),
    ("It waits for others", ("needed_results", "drop_need"), ("needs",)),
    ("It calls a provider", ("begin_call", "finish_call", "take"), ("calls", "providers")),
    ("What is sent is signed", ("sign", "verify"), ("signing",)),
    ("What it decided is compared", ("record_decision", "record_actual"), ("modes",)),
    ("It locks a resource", ("acquire_lock", "renew_lock", "check_lock"), ("locks",)),
    ("People run the desk", ("claim_escalated", "retry", "cancel"), ("desk",)),
    ("Others follow", ("events_since", "latest_cursor"), ("events",)),
    ("The board is kept", ("configure", "prune"), ("maintenance",)),
    (
        "Who may, and by which door",
        ("register_agent", "issue_token", "request"),
        ("identity", "gateway"),
    ),
)


def _brief(source: Source) -> str:
    """What the COMMENT says first."""
    text = " ".join(bodies.comment(source).split("\n\n")[0].split())
    return re.split(r"[.;](?: (?![^(]*\))|$)", text)[0]


def call_order() -> str:
    """Every function once, where it is met first: below its first caller, in the order of calls."""
    known = bodies.functions()
    files = {source.path.stem: source for source in sources("functions/*/*.sql")}
    met: set[str] = set()

    def walk(names: list[str], depth: int) -> Iterator[str]:
        for name in names:
            if name in met or name not in known:
                continue
            met.add(name)
            head = f"{'  ' * depth}{name}"
            line = f"{head:<38} {known[name].wing:<11} {_brief(files[name])}"
            yield line if len(line) <= 118 else line[:118].rsplit(" ", 1)[0] + " …"
            yield from walk(bodies.calls_in_order(files[name], known[name]), depth + 1)

    public = sorted(name for name in known if not name.startswith("_"))
    listed = {name for _, first, _ in STAGES for name in first}
    parts = []
    for title, first, wings in STAGES:
        rest = [name for name in public if known[name].wing in wings and name not in listed]
        lines = list(walk([*first, *rest], 0))
        if title == STAGES[0][0]:
            parts.append((title, lines))
            fired = list(walk(sorted(bodies.trigger_calls()), 0))
            parts.append(("What a change sets off: triggers", fired))
        elif lines:
            parts.append((title, lines))
    seen = sorted({name for view in bodies.views().values() for name in view.calls})
    parts.append(("What views and defaults of columns call besides", list(walk(seen, 0))))
    parts[-1][1].extend(
        walk(sorted({name for one in bodies.table_files() for name in one.calls}), 0)
    )
    if missing := set(known) - met:
        raise LookupError(f"nothing leads to {sorted(missing)}")
    return "".join(
        f"### {title}\n\n```\n" + "\n".join(lines) + "\n```\n\n" for title, lines in parts
    )


def lock_orders() -> str:
    """The order of row locks, from sql/schema.sql, beside the order of an upgrade's table locks."""
    text = (ROOT / "sql" / "schema.sql").read_text()
    section = text.split("-- Lock order, for all functions\n--\n")[1].split("\n--\n")[0]
    rows = [line.removeprefix("--").strip() for line in section.splitlines()]
    tables = list(LOCK_ORDER)
    width = max(map(len, rows)) + 4
    lines = [f"{'rows':<{width}}tables"]
    for place in range(max(len(rows), len(tables))):
        left = rows[place] if place < len(rows) else ""
        right = tables[place] if place < len(tables) else ""
        lines.append(f"{left:<{width}}{right}".rstrip())
    return "```\n" + "\n".join(lines) + "\n```\n"


def fill(text: str, name: str, part: str) -> str:
    """The text with what stands between the marks of that name replaced."""
    mark = re.compile(rf"(<!-- {name}: make docs -->\n).*?(<!-- end -->)", re.DOTALL)
    if len(mark.findall(text)) != 1:
        raise LookupError(f"there is no one place for the {name}")
    return mark.sub(lambda found: f"{found[1]}{part}{found[2]}", text)


def pages(connection: psycopg.Connection[Any]) -> Iterator[tuple[Path, str]]:
    """Every page that is made from the database or the sources, or has a part that is."""
    yield ROOT / "docs" / "reference.md", reference(connection)
    for name, table in error_tables(connection):
        yield ROOT / name, fill((ROOT / name).read_text(), "error codes", table)
    readme = ROOT / "sql" / "README.md"
    text = fill(readme.read_text(), "call order", call_order())
    yield readme, fill(text, "lock orders", lock_orders())


def main() -> None:
    """Installs the board of this checkout in a server of its own, and writes the pages from it."""
    with (
        Cluster(installations()[-1]) as server,
        psycopg.connect(server.dsn(), autocommit=True) as connection,
    ):
        connection.execute(script().encode())
        for path, text in list(pages(connection)):
            path.write_text(text)


if __name__ == "__main__":
    main()
