"""The pages under docs/ that are made from the database are as the database says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from tests.support.testdb import TestDb

DOCS = Path(__file__).resolve().parent.parent / "docs"


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_up_to_date(board_db: TestDb) -> None:
    """After a change of a signature or a COMMENT: make docs."""
    assert (DOCS / "reference.md").read_text() == generator().reference(board_db.owner)
