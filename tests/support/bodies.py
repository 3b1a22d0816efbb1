"""What the SQL sources call and read, from PostgreSQL's own parser: what the rules on floors ask.

Strings, dollar-quoted texts and comments are no code for a parser, so nothing in them counts.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pglast import ast, parse_sql
from pglast.parser import parse_plpgsql_json
from pglast.visitors import Visitor

from tests.support.sources import SQL, Source, sources

SCHEMA = "board"
# Where the picture's remarks begin.
COLUMN = 51
_HEADER = re.compile(r"^CREATE OR REPLACE FUNCTION board\.(\w+)\(", re.M)
_BODY = re.compile(r"^AS \$\$\n(.*?)^\$\$;", re.S | re.M)
# The parser outside a server knows neither row types nor that parameters can be assigned to.
_ROW_VARIABLE = re.compile(rf"(?m)^(    _\w+) +{SCHEMA}\.\w+;")
_PARAMETER_SET = re.compile(r"(?m)^( +)[a-z]\w*(?:\.\w+)? := ")


@dataclass(frozen=True)
class Statement:
    """One statement or expression: the board's tables and views that it reads, what it calls."""

    relations: frozenset[str]
    calls: frozenset[str]


@dataclass(frozen=True)
class Body:
    """A function, a view, or the default expressions of a file of tables."""

    name: str
    wing: str
    statements: tuple[Statement, ...]
    row_types: frozenset[str] = frozenset()

    @property
    def calls(self) -> frozenset[str]:
        return frozenset().union(*(statement.calls for statement in self.statements))

    @property
    def relations(self) -> frozenset[str]:
        return frozenset().union(*(statement.relations for statement in self.statements))


class _Names(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.relations: set[str] = set()
        self.calls: set[str] = set()

    def visit_RangeVar(self, _ancestors: object, node: ast.RangeVar) -> None:  # noqa: N802
        if node.schemaname == SCHEMA:
            self.relations.add(node.relname)

    def visit_FuncCall(self, _ancestors: object, node: ast.FuncCall) -> None:  # noqa: N802
        path = [part.sval for part in node.funcname]
        if len(path) == 2 and path[0] == SCHEMA:
            self.calls.add(path[1])


def statement(tree: Any) -> Statement:
    """The names in a parsed statement."""
    names = _Names()
    names(tree)
    return Statement(frozenset(names.relations), frozenset(names.calls))


def _expressions(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "PLpgSQL_expr" in node:
            yield node["PLpgSQL_expr"]
        for value in node.values():
            yield from _expressions(value)
    elif isinstance(node, list):
        for value in node:
            yield from _expressions(value)


def _as_statement(expression: dict[str, Any]) -> str:
    """SQL of an expression of PL/pgSQL: whole statements, bare expressions, assignments."""
    query: str = expression["query"]
    mode = expression.get("parseMode", 0)
    if mode == 2:
        return "SELECT " + query
    if mode > 2:
        return "SELECT " + re.split(r":?=", query, maxsplit=1)[1]
    return query


def function(source: Source) -> Body:
    """A file of sql/functions."""
    text = source.text.split("\nCOMMENT ON")[0]
    found = _HEADER.search(text)
    assert found is not None, source.name
    head, body = text[: text.index("\nAS $$\n")], _BODY.search(text)
    assert body is not None, source.name
    if "\nLANGUAGE plpgsql\n" in head:
        readable = _PARAMETER_SET.sub(r"\1PERFORM ", _ROW_VARIABLE.sub(r"\1 record;", text))
        tree = json.loads(parse_plpgsql_json(readable))
        parsed = [parse_sql(_as_statement(found)) for found in _expressions(tree)]
    else:
        parsed = [parse_sql(body[1])]
    created = parse_sql(text)
    # Default expressions of parameters are calls too.
    parsed.append(created)
    return Body(
        found[1],
        source.path.parent.name,
        tuple(statement(tree) for tree in parsed),
        frozenset(_row_types(created[0].stmt)) & table_names(),
    )


def _row_types(created: ast.CreateFunctionStmt) -> Iterator[str]:
    """The types of the board's own among the parameters that are passed in."""
    for parameter in created.parameters or ():
        path = [part.sval for part in parameter.argType.names]
        if path[0] == SCHEMA and parameter.mode.name != "FUNC_PARAM_TABLE":
            yield path[1]


@functools.cache
def table_names() -> frozenset[str]:
    """The tables of the board."""
    return frozenset(
        raw.stmt.relation.relname
        for source in sources("tables/*.sql")
        for raw in parse_sql(source.text)
        if isinstance(raw.stmt, ast.CreateStmt)
    )


def view_file(source: Source) -> list[Body]:
    """The views of a file of sql/views."""
    return [
        Body(raw.stmt.view.relname, source.path.stem, (statement(raw.stmt.query),))
        for raw in parse_sql(source.text)
        if isinstance(raw.stmt, ast.ViewStmt)
    ]


def table_file(source: Source) -> Body:
    """A file of sql/tables: the calls in its defaults and checks."""
    made = [statement(raw.stmt) for raw in parse_sql(source.text)]
    return Body(source.path.stem, source.path.stem, tuple(made))


def comment(source: Source) -> str:
    """The text of the COMMENT in a file of sql/functions, without the word Private."""
    (raw,) = parse_sql(source.text[source.text.index("\nCOMMENT ON") :])
    text: str = raw.stmt.comment
    return text.removeprefix("Private: ")


def calls_in_order(source: Source, body: Body) -> list[str]:
    """What a body calls, in the order of its text."""
    text = source.code().split("\nCOMMENT ON")[0]
    found = re.findall(rf"\b{SCHEMA}\.(\w+)\s*\(", text)
    return [name for name in dict.fromkeys(found) if name in body.calls]


@functools.cache
def functions() -> Mapping[str, Body]:
    """Every function by its name."""
    return {body.name: body for body in map(function, sources("functions/*/*.sql"))}


@functools.cache
def views() -> Mapping[str, Body]:
    """Every view by its name."""
    return {body.name: body for file in sources("views/*.sql") for body in view_file(file)}


@functools.cache
def table_files() -> tuple[Body, ...]:
    return tuple(map(table_file, sources("tables/*.sql")))


@functools.cache
def trigger_calls() -> frozenset[str]:
    """Functions that triggers run, and those in their WHEN."""
    names = set()
    for raw in parse_sql((SQL / "triggers.sql").read_text()):
        if isinstance(raw.stmt, ast.CreateTrigStmt):
            names.add(raw.stmt.funcname[-1].sval)
            names |= statement(raw.stmt).calls
    return frozenset(names)


def reached(start: frozenset[str], bodies: Mapping[str, Body]) -> frozenset[str]:
    """The functions called from these, directly or not, these included."""
    found: set[str] = set()
    rest = [name for name in start if name in bodies]
    while rest:
        name = rest.pop()
        if name not in found:
            found.add(name)
            rest += [called for called in bodies[name].calls if called in bodies]
    return frozenset(found)


def readers(bodies: Mapping[str, Body]) -> frozenset[str]:
    """The functions that read or write a table of the board, directly or through others."""
    found = {name for name, body in bodies.items() if body.relations}
    while True:
        more = {name for name, body in bodies.items() if name not in found and body.calls & found}
        if not more:
            return frozenset(found)
        found |= more


def picture(readme: Path = SQL / "README.md") -> dict[str, int]:
    """Wing → floor, the lowest 0, read from the picture in sql/README.md."""
    block = readme.read_text().split("<!-- floors -->\n```\n")[1].split("```")[0]
    floors = [line[:COLUMN].split() for line in reversed(block.splitlines())]
    return {wing: floor for floor, wings in enumerate(floors) for wing in wings}


# -- the rules -------------------------------------------------------------------------------------


def calls_up(functions: Mapping[str, Body], others: Iterable[Body] = ()) -> list[str]:
    """Calls to a wing on the same floor or a higher one, other than the caller's own."""
    floors = picture()
    return [
        f"{body.wing}/{body.name} calls {functions[name].wing}/{name}"
        for body in (*functions.values(), *others)
        for name in sorted(body.calls)
        if name in functions
        and functions[name].wing != body.wing
        and floors[functions[name].wing] >= floors[body.wing]
    ]


def reads_in_statements(functions: Mapping[str, Body], views: Mapping[str, Body]) -> set[str]:
    """What has a statement on a table of the board that calls a function which reads one."""
    reading = readers(functions)
    return {
        body.name
        for body in (*functions.values(), *views.values())
        for statement in body.statements
        if statement.relations and statement.calls & reading
    }


def row_types_below(functions: Mapping[str, Body], entries: frozenset[str]) -> set[str]:
    return {name for name in reached(entries, functions) if functions[name].row_types}


def entries() -> frozenset[str]:
    """What triggers and views call."""
    return trigger_calls().union(*(view.calls for view in views().values()))


def body_lines(source: Source) -> list[str]:
    """Lines of a body, long texts for people taken as one."""
    body = source.text.split("\nAS $$\n", 1)[1].split("\n$$;", 1)[0]
    return re.sub(r"\$(\w+)\$.*?\$\1\$", "''", body, flags=re.S).splitlines()
