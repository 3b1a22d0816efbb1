"""Builds the SQL that installs or upgrades a board from the pieces under sql/.

The only builder: the installer, the extension's Makefile and the tests all call it. Standard
library only, so that `python3 installer/assemble.py` runs on a machine with nothing else on it.
SQL is put together file by file and never taken apart; the one change made to its text is the name
of the schema and of the group roles.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

Form = Literal["plain", "extension"]

_HERE = Path(__file__).resolve().parent

# An upgrade locks the views, then the tables in this order. What makes it safe is that the first
# table a verb touches stands before all others that it touches: then a verb that comes while the
# upgrade is at its locks waits with nothing in its hands, and one that came before is not hindered.
# tests/test_upgrade.py holds every verb against it. Tables not named here come last, by name.
LOCK_ORDER = (
    "access_tokens",
    "tasks",
    "needs_graph",
    "task_sequences",
    "task_needs",
    "agents",
    "signing_keys",
    "signing_secrets",
    "providers",
    "kinds",
    "kind_names",
    "kind_slots",
    "task_schedules",
    "provider_limits",
    "throttles",
    "budgets",
    "usage_records",
    "calls",
    "task_budgets",
    "compared_steps",
    "comparison_evidence",
    "locks",
    "settings",
    "event_horizon",
    "task_events",
    "doorbell_calls",
    "doorbells",
    "audit_log",
    "releases",
)

# The group roles, and which of them has everything another one has.
ROLES = ("viewer", "agent", "operator", "admin", "gateway")
MEMBERSHIPS = (("viewer", "agent"), ("agent", "operator"), ("operator", "admin"))

# Words that PostgreSQL 15 to 18 do not take as a schema's name without quotes.
_RESERVED_WORDS = """
    all analyse analyze and any array as asc asymmetric authorization binary both case cast check
    collate collation column concurrently constraint create cross current_catalog current_date
    current_role current_schema current_time current_timestamp current_user default deferrable desc
    distinct do else end except false fetch for foreign freeze from full grant group having ilike in
    initially inner intersect into is isnull join lateral leading left like limit localtime
    localtimestamp natural not notnull null offset on only or order outer overlaps placing primary
    references returning right select session_user similar some symmetric system_user table
    tablesample then to trailing true union unique user using variadic verbose when where window
    with public information_schema
"""
_RESERVED = frozenset(_RESERVED_WORDS.split())


class AssembleError(Exception):
    """The pieces do not make a script."""


class UsageError(AssembleError):
    """What was asked for makes no sense: a schema name, a form, a release never heard of."""


def sql_root() -> Path:
    """The sql/ folder: the copy inside an installed wheel, else the checkout's."""
    for candidate in (_HERE / "_sql", _HERE.parent / "sql"):
        if (candidate / "load_order.txt").is_file():
            return candidate
    raise AssembleError("neither installer/_sql nor ../sql holds a load_order.txt")


def version(root: Path | None = None) -> str:
    """The one version number: default_version in board.control."""
    control = (root or sql_root()) / "board.control"
    found = re.search(r"(?m)^default_version\s*=\s*'([^']+)'", control.read_text("utf-8"))
    if found is None:
        raise AssembleError(f"{control} names no default_version")
    return found[1]


def load_order(root: Path | None = None) -> dict[str, list[str]]:
    """The patterns of load_order.txt, by section."""
    sections: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in ((root or sql_root()) / "load_order.txt").read_text("utf-8").splitlines():
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        if entry.startswith("[") and entry.endswith("]"):
            current = sections.setdefault(entry[1:-1], [])
        elif current is None:
            raise AssembleError(f"load_order.txt: {entry!r} stands before any section")
        else:
            current.append(entry)
    if set(sections) != {"tables", "code"}:
        raise AssembleError(f"load_order.txt: sections {sorted(sections)}, not tables and code")
    return sections


def files(section: str, root: Path | None = None) -> list[Path]:
    """The files of one section in load order. A file that a line has taken is not taken again."""
    base = root or sql_root()
    taken: set[Path] = set()
    ordered: list[Path] = []
    for name, patterns in load_order(base).items():
        if name == "code":
            # What a fresh install loads early is still loaded again by an upgrade.
            taken = set()
        for pattern in patterns:
            for path in sorted(base.glob(pattern), key=lambda p: p.relative_to(base).as_posix()):
                if path.is_file() and path not in taken:
                    taken.add(path)
                    if name == section:
                        ordered.append(path)
    return ordered


def unmatched(root: Path | None = None) -> list[str]:
    """Lines of load_order.txt that name nothing: a slip once every wing is in."""
    base = root or sql_root()
    return [
        pattern
        for patterns in load_order(base).values()
        for pattern in patterns
        if not any(path.is_file() for path in base.glob(pattern))
    ]


def check_schema(name: str) -> str:
    """Refuses names that would need quotes or collide with PostgreSQL's own."""
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,49}", name):
        raise UsageError(
            f"schema name {name!r}: lower-case letters, digits and _, not starting with a digit, "
            "at most 50 characters"
        )
    if name.startswith("pg_") or name in _RESERVED:
        raise UsageError(f"schema name {name!r} is reserved in PostgreSQL")
    return name


def rename(text: str, schema: str, roles: str | None = None) -> str:
    """Gives the schema another name, and the group roles another prefix (default: the same)."""
    prefix = schema if roles is None else roles
    text = re.sub(
        r"\bboard_(viewer|agent|operator|admin|gateway)\b", lambda m: f"{prefix}_{m[1]}", text
    )
    text = re.sub(r'(?<![\w./-])board\.(?=[a-z_%"])', f"{schema}.", text)
    text = re.sub(
        r"(SCHEMA\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?)board\b", lambda m: m[1] + schema, text
    )
    text = text.replace("'board'::regnamespace", f"'{schema}'::regnamespace")
    text = text.replace("to_regnamespace('board')", f"to_regnamespace('{schema}')")
    return text.replace("'board.releases'::regclass", f"'{schema}.releases'::regclass")


def script(
    schema: str = "board",
    form: Form = "plain",
    *,
    root: Path | None = None,
    roles: str | None = None,
) -> str:
    """The whole fresh install. To be run in one transaction."""
    base = root or sql_root()
    _check(schema, form)
    parts = [_head(f"board {version(base)}: fresh install", form)]
    parts += [
        guard("server", root=base),
        guard("fresh" if form == "plain" else "extension", root=base),
        guard("remember_objects", root=base),
    ]
    loaded: set[Path] = set()
    for section in ("tables", "code"):
        for path in files(section, base):
            if path not in loaded:
                loaded.add(path)
                parts.append(_piece(path, base))
    parts.append(_remember(version(base), form))
    text = "\n".join(parts)
    if form == "extension":
        text = _leave_schema_to_the_extension(text) + "\n" + _CONFIG_DUMP
    return rename(text, schema, roles)


def upgrade_script(
    from_version: str,
    schema: str = "board",
    form: Form = "plain",
    *,
    root: Path | None = None,
    roles: str | None = None,
) -> str:
    """From an older version to this one: the steps between, then all current code.

    From the current version it is the code alone: it puts back what was changed by hand. In the
    extension form that is no script for ALTER EXTENSION, which does nothing then, but one for the
    owner's session, like the plain one.
    """
    base = root or sql_root()
    _check(schema, form)
    target = version(base)
    repairs = from_version == target
    parts = [_head(f"board {from_version} to {target}: {'repair' if repairs else 'upgrade'}", form)]
    guards = ["server", "ownership", "lock_installers", "installed", "contents"]
    if form == "extension" and not repairs:
        guards.append("extension")
    guards += ["remember_objects", "lock_tables"]
    parts += [guard(name, from_version=from_version, root=base) for name in guards]
    parts += [_piece(path, base) for path in upgrade_chain(from_version, base)]
    parts += [_piece(path, base) for path in files("code", base)]
    parts.append(_remember(target, form))
    if form == "extension":
        parts.append(guard("adopt", root=base) if repairs else _CONFIG_DUMP)
    return rename("\n".join(parts), schema, roles)


def guard(
    name: str,
    schema: str = "board",
    *,
    from_version: str | None = None,
    root: Path | None = None,
) -> str:
    """One file of sql/guards: what a script makes sure of before it does anything.

    The installer runs the same ones by themselves, to tell before it begins.
    """
    base = root or sql_root()
    text = _piece(base / "guards" / f"{name}.sql", base)
    order = ", ".join(f"'{table}'" for table in LOCK_ORDER)
    text = text.replace("@LOCK_ORDER@", order).replace("@FROM_VERSION@", from_version or "")
    text = re.sub(
        r"(?m)^@HOLDERS (.+)@$",
        lambda found: holders(f"{_THIS_DATABASE} AND l.relation = {found[1]}", base),
        text,
    )
    return rename(text, schema)


_THIS_DATABASE = (
    "l.database = (SELECT b.oid FROM pg_database AS b\n"
    "                                    WHERE b.datname = current_database())\n"
    "                     "
)


def holders(which: str, root: Path | None = None) -> str:
    """A query for one text: the sessions that hold the locks l (of pg_locks) of which that is
    true, or the prepared transactions."""
    text = ((root or sql_root()) / "guards" / "holders.sql").read_text("utf-8").rstrip()
    return text.replace("@WHICH@", which)


def seeded_tables(root: Path | None = None) -> list[str]:
    """The tables in which a fresh install itself puts rows."""
    base = root or sql_root()
    found = {"releases"}
    for path in files("tables", base):
        found.update(re.findall(r"(?m)^INSERT INTO board\.(\w+)", path.read_text("utf-8")))
    return sorted(found)


def upgrade_chain(from_version: str, root: Path | None = None) -> list[Path]:
    """The shortest way of A--B.sql steps from a version to the current one."""
    base = root or sql_root()
    target = version(base)
    ways: deque[tuple[str, list[Path]]] = deque([(from_version, [])])
    seen = {from_version}
    steps = sorted((base / "upgrades").glob("*--*.sql"))
    while ways:
        here, way = ways.popleft()
        if here == target:
            return way
        for step in steps:
            start, _, end = step.stem.partition("--")
            if start == here and end not in seen:
                seen.add(end)
                ways.append((end, [*way, step]))
    raise AssembleError(f"no upgrade leads from {from_version} to {target}")


def upgradable_from(root: Path | None = None) -> list[str]:
    """The older versions from which an upgrade leads to the current one."""
    base = root or sql_root()
    found = []
    for start in sorted({s.stem.partition("--")[0] for s in (base / "upgrades").glob("*--*.sql")}):
        try:
            upgrade_chain(start, base)
        except AssembleError:
            continue
        found.append(start)
    return found


def _check(schema: str, form: str) -> None:
    check_schema(schema)
    if form not in ("plain", "extension"):
        raise UsageError(f"form {form!r}: plain or extension")
    if form == "extension" and schema != "board":
        raise UsageError("the extension always lives in schema board")


def _piece(path: Path, base: Path) -> str:
    text = path.read_text("utf-8").rstrip().replace("@EXTVERSION@", version(base))
    return f"-- {path.relative_to(base).as_posix()}\n{text}\n"


def _head(title: str, form: Form) -> str:
    return (
        f"-- {title} ({form} form). Built from the files named below; edit those.\n"
        "SET LOCAL search_path = pg_catalog, pg_temp;\n"
        "SET LOCAL check_function_bodies = off;\n"
        "SET LOCAL standard_conforming_strings = on;\n"
        "SET LOCAL quote_all_identifiers = off;\n"
        "SET LOCAL client_min_messages = warning;\n"
        "SET LOCAL standard_conforming_strings = on;\n"
        "SET LOCAL DateStyle = ISO;\n"
        "SET LOCAL IntervalStyle = postgres;\n"
    )


def _remember(release: str, form: Form) -> str:
    """The row that tells which version is in a database, since when and by whom."""
    return (
        "-- This release is now in the database.\n"
        "INSERT INTO board.releases (version, installed_at, installed_by, form)\n"
        f"VALUES ('{release}', pg_catalog.clock_timestamp(), session_user, '{form}');\n"
    )


def _leave_schema_to_the_extension(text: str) -> str:
    """CREATE EXTENSION has made the schema by then (board.control names it)."""
    text, removed = re.subn(r"(?m)^CREATE SCHEMA (?:IF NOT EXISTS )?board;[ \t]*$", "", text)
    if removed != 1:
        raise AssembleError(f"CREATE SCHEMA board; stands {removed} times in the pieces, not once")
    return text


# A dump leaves out the rows of an extension's tables unless told otherwise.
_CONFIG_DUMP = """\
-- Rows of these tables and the states of these sequences belong into a dump.
DO $dump$
DECLARE
    _relation regclass;
BEGIN
    FOR _relation IN
        SELECT c.oid
        FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = 'board'::regnamespace
          AND c.relkind IN ('r', 'p', 'S')
        ORDER BY c.relname
    LOOP
        PERFORM pg_catalog.pg_extension_config_dump(_relation, '');
    END LOOP;
END
$dump$;
"""


def _extension_files(root: Path, target: Path) -> Iterator[Path]:
    current = version(root)
    scripts = {f"board--{current}.sql": script(form="extension", root=root)}
    for start in upgradable_from(root):
        scripts[f"board--{start}--{current}.sql"] = upgrade_script(
            start, form="extension", root=root
        )
    for name, text in scripts.items():
        (target / name).write_text(text, "utf-8")
        yield target / name


def main(arguments: list[str] | None = None) -> int:
    """`assemble.py [--schema NAME] [--form FORM] [--upgrade-from A]`, or --write-extension DIR."""
    parser = argparse.ArgumentParser(prog="assemble.py", description="Print board's SQL.")
    parser.add_argument("--schema", default="board")
    parser.add_argument("--form", choices=("plain", "extension"), default="plain")
    parser.add_argument("--upgrade-from", metavar="VERSION")
    parser.add_argument("--write-extension", type=Path, metavar="DIR")
    parser.add_argument("--version", action="store_true", help="print the version only")
    asked = parser.parse_args(arguments)
    try:
        if asked.version:
            print(version())
        elif asked.write_extension:
            for path in _extension_files(sql_root(), asked.write_extension):
                print(path)
        elif asked.upgrade_from:
            sys.stdout.write(upgrade_script(asked.upgrade_from, asked.schema, asked.form))
        else:
            text = script(asked.schema, asked.form)
            plain = asked.form == "plain"
            sys.stdout.write(f"BEGIN;\n{text}\nCOMMIT;\n" if plain else text)
    except AssembleError as error:
        print(f"assemble.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
