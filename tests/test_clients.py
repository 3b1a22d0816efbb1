"""What docs/clients.md tells of each client library is run, as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.json import Json

from tests.support.testdb import TestDb
from tests.support.tools import NODE, search_path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "clients.md").read_text("utf-8")
BLOCKS = {
    name: (language, code)
    for name, language, code in re.findall(
        r"<!-- run: (\w+) -->\n```(python|javascript)\n(.*?)```", PAGE, re.DOTALL
    )
}
NODE_PACKAGES = ("pg@8", "postgres@3")


@pytest.fixture(scope="session")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the JavaScript clients in it."""
    NODE.require()
    folder = tmp_path_factory.mktemp("node")
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--silent", *NODE_PACKAGES],
        cwd=folder,
        env={**os.environ, "PATH": search_path()},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"npm cannot install {', '.join(NODE_PACKAGES)}: {done.stderr[-200:]}")
    return folder


def _environment(dsn: str) -> dict[str, str]:
    """libpq's variables and the DSN itself: what each client reads."""
    parts = conninfo_to_dict(dsn)
    told = {
        "BOARD_DSN": dsn,
        "PGHOST": parts.get("host"),
        "PGPORT": parts.get("port"),
        "PGDATABASE": parts.get("dbname"),
        "PGUSER": parts.get("user"),
        "PGPASSWORD": parts.get("password"),
    }
    ours = {**os.environ, "PATH": search_path()}
    return {**ours, **{name: str(value) for name, value in told.items() if value}}


def _url(dsn: str) -> str:
    """The connection string as a URI, for clients that know no other form."""
    parts = conninfo_to_dict(dsn)
    query = "&".join(f"{key}={value}" for key, value in parts.items() if key != "dbname")
    return f"postgresql:///{parts['dbname']}?{query}"


def test_each_client_of_the_page_is_run() -> None:
    assert set(BLOCKS) == {"psycopg", "psycopg2", "asyncpg", "sqlalchemy", "pg", "postgres"}


@pytest.mark.parametrize("client", sorted(BLOCKS))
def test_the_page_says_what_works(
    client: str, board_db: TestDb, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    language, code = BLOCKS[client]
    environment = _environment(board_db.dsn)
    if language == "python":
        pytest.importorskip(client)
        if client == "asyncpg":
            environment["BOARD_DSN"] = _url(board_db.dsn)
        script = tmp_path / "client.py"
        command = [sys.executable, str(script)]
    else:
        script = request.getfixturevalue("node_modules") / f"{client}.mjs"
        command = ["node", str(script)]
    script.write_text(code, "utf-8")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr or done.stdout
    left = board_db.one("SELECT count(*) FROM board.tasks AS t WHERE t.status <> 'completed'")
    assert left == 0


def test_json_is_not_jsonb(board_db: TestDb) -> None:
    """The page warns of it; should PostgreSQL ever resolve it, the page may say so."""
    with pytest.raises(psycopg.errors.UndefinedFunction):
        board_db.one("SELECT board.enqueue('mail', %s)", Json({}))
