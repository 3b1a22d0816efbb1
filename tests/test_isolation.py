"""Every race of the board as an isolation spec: `tests/isolation/NAME.spec`.

What the tester prints must be what `tests/isolation/expected/NAME.out` holds, to the letter.
`pytest tests/test_isolation.py --write-expected` writes those files; read them before you commit
them: each permutation must show what its comment in the spec says.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from tests.support.isolation import run_spec
from tests.support.testdb import TestDb
from tests.support.tools import ISOLATIONTESTER

FOLDER = Path(__file__).parent / "isolation"
SPECS = sorted(FOLDER.glob("*.spec"))
HELPERS = FOLDER / "helpers.sql"


@pytest.fixture(scope="session")
def tester() -> Path:
    return ISOLATIONTESTER.require()


@pytest.mark.parametrize("spec", SPECS, ids=[spec.stem for spec in SPECS])
def test_spec(spec: Path, tester: Path, board_db: TestDb, pytestconfig: pytest.Config) -> None:
    if HELPERS.exists():
        board_db.owner.execute(HELPERS.read_bytes())
    seen = run_spec(tester, spec, board_db.dsn)
    expected_file = FOLDER / "expected" / f"{spec.stem}.out"
    if pytestconfig.getoption("write_expected"):
        expected_file.write_text(seen)
        return
    expected = expected_file.read_text() if expected_file.exists() else ""
    difference = difflib.unified_diff(
        expected.splitlines(), seen.splitlines(), f"expected/{spec.stem}.out", "seen", lineterm=""
    )
    if seen != expected:
        pytest.fail("\n".join(difference), pytrace=False)


def test_every_expected_file_has_its_spec() -> None:
    outputs = {path.stem for path in (FOLDER / "expected").glob("*.out")}
    assert outputs == {spec.stem for spec in SPECS}
