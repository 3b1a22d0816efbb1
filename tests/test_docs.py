"""The pages under docs/ that are made from the database are as the database says."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import psycopg

from tests.support.sources import sources
from tests.support.testdb import TestDb

DOCS = Path(__file__).resolve().parent.parent / "docs"


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_made_from_the_database_is_up_to_date(board_db: TestDb) -> None:
    """After a change of a signature, a COMMENT or an error code: make docs."""
    for path, text in generator().pages(board_db.owner):
        assert path.read_text() == text, f"{path}: run python docs/generate.py"


def error_codes(board_db: TestDb) -> dict[str, tuple[str, int | None]]:
    rows = board_db.rows("SELECT e.code, e.name, e.http FROM board._error_codes() AS e")
    assert len({code for code, _, _ in rows}) == len({name for _, name, _ in rows}) == len(rows)
    return {code: (name, http) for code, name, http in rows}


def test_every_error_that_is_raised_is_in_the_table(board_db: TestDb) -> None:
    """And the board's own are all raised. PostgreSQL's have PostgreSQL's names."""
    code = re.compile(r"\b(?=[0-9A-Z]{5}\b)[0-9A-Z]*[0-9][0-9A-Z]*\b")
    raised: set[str] = set()
    told: set[str] = set()
    for source in sources("functions/*/*.sql"):
        if source.path.stem != "_error_codes":
            raised |= set(re.findall(r"ERRCODE = '(\w+)'", source.code()))
            raised |= set(re.findall(r"_deny_access\('(\w+)'\)", source.code()))
            manual = source.text.partition("\nCOMMENT ON FUNCTION")[2]
            told |= set(re.findall(code, manual.partition("Errors:")[2].partition("Example:")[0]))
    table = error_codes(board_db)
    assert raised - set(table) == set()
    assert told - set(table) == set()
    assert {one for one in table if one.startswith("TB")} <= raised
    for one, (name, _) in table.items():
        if not one.startswith("TB"):
            assert psycopg.errors.lookup(one).__name__.lower() == name.replace("_", "")


def test_help_has_every_error(board_db: TestDb) -> None:
    said = str(board_db.one("SELECT board.help('errors')"))
    for code, (name, _) in error_codes(board_db).items():
        assert re.search(rf"(?m)^{code} {name} .+: .+$", said)
    assert max(map(len, said.splitlines())) <= 100
    assert len(said.splitlines()) <= 24


def test_the_fronts_answer_as_the_table_says(board_db: TestDb) -> None:
    live = importlib.import_module("board_live.gateway")
    told = {code: (name, http) for code, (name, http) in error_codes(board_db).items() if http}
    assert told == live.NAMES
    # The front that docs/http.md prints answers what it knows in the same way, and 500 to the rest.
    (printed,) = re.findall(r"(?s)\nSTATUS = (\{.*?\n\})", (DOCS / "http.md").read_text())
    status = ast.literal_eval(printed)
    assert status == {code: http for code, (_, http) in told.items() if code in status}
    assert {code for code in told if code.startswith("TB")} < set(status)
