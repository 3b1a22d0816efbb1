"""What the demo shows: text, statements, and answers as psql would print them."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text


@dataclass(frozen=True)
class Screen:
    """A console, and the few ways in which the demo writes on it."""

    console: Console

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        with Progress(
            TextColumn("    "),
            BarColumn(bar_width=50),
            MofNCompleteColumn(),
            TextColumn("done, {task.fields[held]} held"),
            TimeElapsedColumn(),
            console=self.console,
        ) as progress:
            yield progress

    def head(self, text: str) -> None:
        self.console.print()
        self.console.print(Text(text, style="bold"))

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, width=min(self.console.width, 100))

    def sql(self, text: str) -> None:
        self.console.print(Text(f"    {text}", style="cyan"), soft_wrap=True)

    def warn(self, text: str) -> None:
        self.console.print(Text(text, style="bold red"), soft_wrap=True)

    def table(self, names: list[str], rows: Sequence[Sequence[object]], most: int = 20) -> None:
        """An answer, as psql would show it."""
        cells = [[cell(value) for value in row] for row in rows[:most]]
        for line in table(names, cells, self.console.width):
            self.console.print(Text(line), soft_wrap=True)
        if len(rows) > most:
            self.say(f"    ... {len(rows) - most:,} more rows")
        self.console.print()


def cell(value: object) -> str:
    """One value as text of one line."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%H:%M:%S}"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return re.sub(r"\s+", " ", str(value))


def table(names: list[str], rows: list[list[str]], width: int) -> Iterator[str]:
    """As psql would show it: the last column folded, or record by record when still too wide."""
    if not rows:
        yield "(no rows)"
        return
    widths = [max(len(row[i]) for row in [names, *rows]) for i in range(len(names))]
    rest = width - sum(w + 3 for w in widths[:-1])
    widths[-1] = min(widths[-1], rest)
    if widths[-1] < min(25, max(len(row[-1]) for row in [names, *rows])):
        label = max(map(len, names))
        for number, row in enumerate(rows, 1):
            yield f"-[ RECORD {number} ]".ljust(label + 1, "-")
            for name, cell in zip(names, row, strict=True):
                for place, part in enumerate(
                    textwrap.wrap(cell, max(20, width - label - 3)) or [""]
                ):
                    yield f"{'' if place else name:{label}} | {part}"
        return
    yield " | ".join(name.ljust(w) for name, w in zip(names, widths, strict=True)).rstrip()
    yield "-+-".join("-" * w for w in widths)
    for row in rows:
        for place, part in enumerate(textwrap.wrap(row[-1], widths[-1]) or [""]):
            cells = [*([""] * (len(row) - 1) if place else row[:-1]), part]
            yield " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()
    yield f"({len(rows)} row{'' if len(rows) == 1 else 's'})"
