"""The board that the demo plays on: its queries, with the schema put in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from psycopg.rows import dict_row, tuple_row

from installer.demo.screen import Screen
from installer.target import Connection


@dataclass(frozen=True)
class Board:
    """A connection and a schema. In a query `{}` stands for the schema."""

    connection: Connection
    schema: str

    def rows(self, query: str, *arguments: Any) -> list[dict[str, Any]]:
        with self.connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(query.format(self.schema).encode(), arguments or None)
            return cursor.fetchall()

    def value(self, query: str, *arguments: Any) -> object:
        """The only column of the only row."""
        (row,) = self.rows(query, *arguments)
        return next(iter(row.values()))

    def show(self, screen: Screen, query: str, before: str = "") -> None:
        """A query and its answer, as psql would show it."""
        if before:
            screen.say(before)
        text = query.format(self.schema)
        screen.sql(f"{text};")
        with self.connection.cursor(row_factory=tuple_row) as cursor:
            cursor.execute(text.encode())
            names = [column.name for column in cursor.description or ()]
            screen.table(names, cursor.fetchall())
