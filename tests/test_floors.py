"""The rules of tests/test_static.py on how functions hang together notice what breaks them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests import test_static
from tests.support import bodies
from tests.support.bodies import Body, Statement
from tests.support.sources import SQL, Source


def with_line(line: str) -> dict[str, Body]:
    """The functions, one of the lowest floor with a further line in its body."""
    path = SQL / "functions" / "checks" / "_check_name.sql"
    text = path.read_text().replace("\nBEGIN\n", f"\nBEGIN\n    {line}\n", 1)
    return {**bodies.functions(), "_check_name": bodies.function(Source(path, text))}


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("PERFORM board.claim('a');", True),
        ("PERFORM board._claim(name, NULL, NULL, 1);", True),
        ("name := (SELECT board.version());", True),
        ("IF name = 'board.claim()' THEN RETURN; END IF;  -- as board.claim() does", False),
        ("name := $x$ SELECT board.claim('a') $x$;", False),
        ("/* board.claim('a') */", False),
    ],
)
def test_a_call_up_is_noticed(line: str, broken: bool) -> None:
    """A function of the lowest floor that calls a higher one, and texts that only look like it."""
    assert (bodies.calls_up(with_line(line)) != []) == broken


def test_a_call_up_of_a_view_or_a_default_is_noticed() -> None:
    view = Body("some_view", "checks", (Statement(frozenset(), frozenset({"claim"})),))
    assert bodies.calls_up(bodies.functions(), [view]) == ["checks/some_view calls tasks/claim"]


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("PERFORM FROM board.tasks AS t WHERE t.kind = board._acting_agent(name);", True),
        ("DELETE FROM board.tasks WHERE id IN (SELECT c.id FROM board.claim('a') AS c);", True),
        ("PERFORM board._acting_agent(name); PERFORM FROM board.tasks AS t;", False),
        ("PERFORM FROM board.tasks AS t WHERE t.id = board._uuid7();", False),
    ],
)
def test_a_reading_call_in_a_statement_is_noticed(line: str, broken: bool) -> None:
    assert ("_check_name" in bodies.reads_in_statements(with_line(line), {})) == broken


def test_a_row_type_below_a_trigger_is_noticed() -> None:
    functions = dict(bodies.functions())
    functions["_due_at"] = replace(functions["_due_at"], row_types=frozenset({"tasks"}))
    assert "_due_at" in bodies.row_types_below(functions, frozenset({"_log_update"}))
    path = SQL / "functions" / "rows" / "_wrong_state.sql"
    assert bodies.function(Source(path, path.read_text())).row_types == {"tasks"}


def test_the_lists_of_exceptions_only_shrink() -> None:
    test_static.hold({"a"}, {"a"})
    with pytest.raises(pytest.fail.Exception, match="breaks the rule: b"):
        test_static.hold({"a", "b"}, {"a"})
    with pytest.raises(pytest.fail.Exception, match="take it off the list: a"):
        test_static.hold(set(), {"a"})
