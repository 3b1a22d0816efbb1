"""What PostgreSQL writes of an expression, brought to where writing it once more changes nothing.

A CHECK with BETWEEN is written out with one pair of parentheses more than after a dump and restore:
the same rule, another text. So where two texts differ, both are given to the server again, in the
scratch copy of the board, until what comes back is what was given.
"""

from __future__ import annotations

import re

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from installer.catalog import Difference, Snapshot
from installer.target import Connection

_NAME = "board_fixpoint"  # of what is made for a moment, to be read again


def differing(
    connection: Connection,
    schema: str,
    scratch: str,
    fresh: Snapshot,
    differences: list[Difference],
) -> list[Difference]:
    """The differences that stay when both texts are at their fixpoint."""
    return [
        one
        for one in differences
        if one.problem != "changed"
        or one.property not in ("definition", "default")
        or not _same(connection, schema, scratch, fresh, one)
    ]


def _same(
    connection: Connection, schema: str, scratch: str, fresh: Snapshot, one: Difference
) -> bool:
    made = _statement(scratch, fresh, one)
    if made is None or not one.shipped or not one.found:
        return False
    template, read = made
    settled = []
    for text in (one.shipped, one.found):
        for _ in range(4):
            before = text
            try:
                text = _once(connection, schema, scratch, template, read, before)
            except psycopg.Error:  # it cannot be made here: so it is not the shipped one
                return False
            if text == before:
                break
        settled.append(text)
    return settled[0] == settled[1]


def _once(
    connection: Connection, schema: str, scratch: str, template: str, read: str, text: str
) -> str:
    there = re.sub(rf"\b{re.escape(schema)}\b", scratch, text)
    with connection.transaction(force_rollback=True):
        connection.execute(template.replace("%TEXT%", _renamed(there)).encode())
        cursor = connection.cursor(row_factory=tuple_row)
        cursor.execute(read.encode())
        row = cursor.fetchone()
    assert row is not None
    made = re.sub(rf"\b{re.escape(scratch)}\b", schema, str(row[0]))
    prefix = "stored: " if text.startswith("stored: ") else ""
    own = re.match(r"CREATE (?:UNIQUE )?INDEX (\S+) |CREATE (?:CONSTRAINT )?TRIGGER (\S+) ", text)
    return prefix + (made.replace(_NAME, own[1] or own[2], 1) if own else made)


def _renamed(text: str) -> str:
    text = re.sub(r"^(CREATE (?:UNIQUE )?INDEX )\S+ ", rf"\1{_NAME} ", text)
    text = re.sub(r"^(CREATE (?:CONSTRAINT )?TRIGGER )\S+ ", rf"\1{_NAME} ", text)
    return text.removeprefix("stored: ")


def _statement(scratch: str, fresh: Snapshot, one: Difference) -> tuple[str, str] | None:
    """What makes it anew with the text at %TEXT%, and the query that reads it back."""
    parent = one.name.partition(".")[0]

    def quoted(*names: str) -> str:
        return sql.Identifier(*names).as_string(None)

    where = f"{sql.Literal(scratch).as_string(None)}::pg_catalog.regnamespace"
    if one.sort == "constraint":
        kind = "TABLE" if ("relation", parent) in fresh else "DOMAIN"
        return (
            f"ALTER {kind} {quoted(scratch, parent)} ADD CONSTRAINT {_NAME} %TEXT%",
            (
                "SELECT pg_catalog.pg_get_constraintdef(k.oid) FROM pg_catalog.pg_constraint AS k "
                f"WHERE k.conname = '{_NAME}' AND k.connamespace = {where}"
            ),
        )
    if one.sort == "index":
        return (
            "%TEXT%",
            (
                "SELECT pg_catalog.pg_get_indexdef(c.oid) FROM pg_catalog.pg_class AS c "
                f"WHERE c.relname = '{_NAME}' AND c.relnamespace = {where}"
            ),
        )
    if one.sort in ("view", "materialized view"):
        return (
            f"CREATE VIEW {quoted(scratch, _NAME)} AS %TEXT%",
            (
                "SELECT pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class AS c "
                f"WHERE c.relname = '{_NAME}' AND c.relnamespace = {where}"
            ),
        )
    if one.sort == "trigger":
        return (
            "%TEXT%",
            (
                "SELECT pg_catalog.pg_get_triggerdef(g.oid) FROM pg_catalog.pg_trigger AS g "
                "JOIN pg_catalog.pg_class AS c ON c.oid = g.tgrelid "
                f"WHERE g.tgname = '{_NAME}' AND c.relnamespace = {where}"
            ),
        )
    if one.sort == "column" and one.property == "default":
        column = f"{quoted(_NAME)} {fresh['column', one.name]['type']}"
        stored = one.shipped.startswith("stored: ")
        rule = "GENERATED ALWAYS AS (%TEXT%) STORED" if stored else "DEFAULT %TEXT%"
        return (
            f"ALTER TABLE {quoted(scratch, parent)} ADD COLUMN {column} {rule}",
            (
                "SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid) FROM pg_catalog.pg_attrdef AS d "
                "JOIN pg_catalog.pg_attribute AS a "
                "ON a.attrelid = d.adrelid AND a.attnum = d.adnum "
                "JOIN pg_catalog.pg_class AS c ON c.oid = d.adrelid "
                f"WHERE a.attname = '{_NAME}' AND c.relnamespace = {where}"
            ),
        )
    return None
