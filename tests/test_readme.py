"""The documents tell the truth: transcripts are run, links lead somewhere, names exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from installer import __main__ as command_line
from installer.errors import Exit
from tests.support.testdb import TestDb

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def _plain(text: str) -> str:
    """Without what differs from run to run, and without the width of columns."""
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?[+-]\d\d", "THEN", text)
    text = re.sub(r"\b\d\d:\d\d:\d\d(\.\d+)?\b", "TIME", text)
    text = re.sub(r"\brole \w+ put", "role SOMEBODY put", text)
    text = re.sub(r"-+", "-", re.sub(r"[ \t]+", " ", text))
    return re.sub(r" *(\n|$) *", r"\1", text).strip()


def test_the_transcript_in_the_readme_is_what_psql_says(board_db: TestDb) -> None:
    psql = board_db.server.program("psql")
    (transcript,) = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    names: dict[str, str] = {}
    steps = re.findall(r"(?m)^board=> (.*)\n((?:(?!board=> ).*\n?)*)", transcript)
    assert len(steps) == 9
    for statement, expected in steps:
        said = UUID.sub(lambda found: names.get(found[0], found[0]), statement)
        done = subprocess.run(
            [psql, "-X", "-c", said, board_db.dsn], capture_output=True, text=True, check=False
        )
        errors = "".join(
            line
            for line in done.stderr.splitlines(True)
            if line.startswith(("ERROR:", "DETAIL:", "HINT:"))
        )
        got = done.stdout + errors
        for there, here in zip(UUID.findall(expected), UUID.findall(got), strict=True):
            assert names.setdefault(there, here) == here
        shown = UUID.sub(lambda found: names.get(found[0], found[0]), expected)
        assert _plain(got) == _plain(shown), statement


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_names_of_files_lead_somewhere(document: Path) -> None:
    text = document.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (document.parent / target).exists(), target
    for name in re.findall(r"`((?:tests|sql|examples|isolation)/[\w/.-]+)(?:::\w+)?`", text):
        path = ROOT / ("tests/" + name if name.startswith("isolation/") else name)
        made_by_releases = "A--B" in name or name == "sql/releases/"
        assert path.exists() or made_by_releases, name
    for name, test in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text):
        assert f"def {test}(" in (ROOT / name).read_text("utf-8"), f"{name}::{test}"


def test_functions_and_views_named_in_the_documents_exist(board_db: TestDb) -> None:
    there = {
        str(row[0])
        for row in board_db.rows(
            "SELECT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'board'::regnamespace"
            " UNION SELECT c.relname FROM pg_class AS c"
            " WHERE c.relnamespace = 'board'::regnamespace"
            " UNION SELECT t.typname FROM pg_type AS t WHERE t.typtype = 'd'"
            " AND t.typnamespace = 'board'::regnamespace"
        )
    }
    for document in DOCUMENTS:
        named = set(re.findall(r"\bboard\.([a-z_]+)\b", document.read_text("utf-8")))
        unknown = named - there - {"control", "sql", "walk", "probe"}  # two files, two settings
        assert not unknown, f"{document.name}: {sorted(unknown)}"


def test_the_public_functions_are_all_in_the_reference(board_db: TestDb) -> None:
    told = (ROOT / "docs" / "reference.md").read_text("utf-8")
    for (name,) in board_db.rows(
        "SELECT DISTINCT p.proname FROM pg_proc AS p"
        " WHERE p.pronamespace = 'board'::regnamespace AND p.proname NOT LIKE '\\_%'"
    ):
        assert re.search(rf"(?m)^#+ `?{name}\b", told), (
            f"{name}: its file is in no wing that is listed"
        )


def test_exit_codes_are_told_alike_everywhere() -> None:
    operations = (ROOT / "docs" / "operations.md").read_text("utf-8")
    for code in Exit:
        assert re.search(rf"(?m)^\| {int(code)} \|", operations), code
        assert re.search(rf"(?m)^  {int(code)}  ", command_line._EPILOG), code


def test_nothing_tells_where_it_was_made() -> None:
    """No absolute path of a machine in a document."""
    for document in DOCUMENTS:
        text = document.read_text("utf-8")
        assert not re.search(r"(?<![\w.])/(?:work|home|root|tmp)/", text), document.name
