"""The SQL sources as text: what the style rules look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SQL = ROOT / "sql"

_TOKEN = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<manual>(?<=\bIS\n)\$\$.*?\$\$(?=;))"
    r"|(?P<string>E?'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*')",
    re.DOTALL,
)


@dataclass(frozen=True)
class Source:
    """One file below sql/."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        return self.path.relative_to(SQL).as_posix()

    def code(self, strings: bool = True) -> str:
        """The text with comments blanked, and with literals and COMMENTs blanked if not wanted."""

        def blank(found: re.Match[str]) -> str:
            if found["comment"] is None and strings:
                return found[0]
            return re.sub(r"[^\n]", " ", found[0])

        return _TOKEN.sub(blank, self.text)

    def lines_with(self, pattern: str, *, strings: bool = True) -> Iterator[str]:
        """`file:line: text` for each line whose code matches."""
        code = self.code(strings=strings).splitlines()
        for number, (line, original) in enumerate(
            zip(code, self.text.splitlines(), strict=False), start=1
        ):
            if re.search(pattern, line, re.IGNORECASE):
                yield f"{self.name}:{number}: {original.strip()}"


def sources(pattern: str) -> list[Source]:
    """The files below sql/ that match, in byte order."""
    return [Source(path, path.read_text()) for path in sorted(SQL.glob(pattern))]
