"""The builder: order, renaming, forms, upgrade chains. No database is needed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from installer import assemble, lifecycle
from installer.errors import InstallerError

CONTROL = "comment = 'x'\ndefault_version = '{}'\nschema = board\n"


def tree(root: Path, files: dict[str, str], version: str = "0.3.0") -> Path:
    """A small sql/ folder."""
    files = {
        "load_order.txt": "# order\n[tables]\nschema.sql\ntables/b.sql\ntables/*.sql\n"
        "[code]\nfunctions/*/*.sql\nviews/*.sql\ngrants.sql\n",
        "schema.sql": "CREATE SCHEMA board;\n",
        "board.control": CONTROL.format(version),
        **files,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    shutil.copytree(assemble.sql_root() / "guards", root / "guards")
    return root


def names(section: str, root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in assemble.files(section, root)]


def test_files_come_in_the_order_of_the_lines_then_of_the_bytes(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "tables/a.sql": "",
            "tables/b.sql": "",
            "functions/tasks/b.sql": "",
            "functions/tasks/_z.sql": "",
            "functions/gateway/c.sql": "",
            "functions/tasks/B.sql": "",
        },
    )
    assert names("tables", root) == ["schema.sql", "tables/b.sql", "tables/a.sql"]
    assert names("code", root) == [
        "functions/gateway/c.sql",
        "functions/tasks/B.sql",
        "functions/tasks/_z.sql",
        "functions/tasks/b.sql",
    ]


def test_what_a_fresh_install_loads_early_is_loaded_once_and_again_by_an_upgrade(
    tmp_path: Path,
) -> None:
    root = tree(
        tmp_path,
        {
            "load_order.txt": "[tables]\nschema.sql\nfunctions/*/_id.sql\n"
            "[code]\nfunctions/*/*.sql\n",
            "functions/tasks/_id.sql": "SELECT 'early';\n",
            "upgrades/0.2.0--0.3.0.sql": "SELECT 'step';\n",
        },
    )
    assert assemble.script(root=root).count("SELECT 'early'") == 1
    assert assemble.upgrade_script("0.2.0", root=root).count("SELECT 'early'") == 1


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("schema.sql\n[tables]\n[code]\n", "before any section"),
        ("[tables]\nschema.sql\n", "sections"),
        ("[tables]\n[code]\n[more]\n", "sections"),
    ],
)
def test_a_broken_load_order_is_refused(tmp_path: Path, line: str, problem: str) -> None:
    root = tree(tmp_path, {"load_order.txt": line})
    with pytest.raises(assemble.AssembleError, match=problem):
        assemble.script(root=root)


def test_every_line_of_the_load_order_names_something() -> None:
    assert assemble.unmatched() == []


def test_every_sql_file_of_the_pieces_is_loaded() -> None:
    root = assemble.sql_root()
    loaded = {*assemble.files("tables"), *assemble.files("code")}
    lying_about = {
        path
        for path in root.rglob("*.sql")
        if path.relative_to(root).parts[0] not in ("guards", "tests", "upgrades", "releases")
        and not path.name.startswith("board--")
    }
    assert lying_about - loaded == set()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("board.tasks", "team.tasks"),
        ("RETURNS SETOF board.tasks", "RETURNS SETOF team.tasks"),
        ("'board.task_events'::regclass", "'team.task_events'::regclass"),
        ("format('LOCK TABLE board.%I', t)", "format('LOCK TABLE team.%I', t)"),
        ('board."Odd"', 'team."Odd"'),
        ("CREATE SCHEMA board;", "CREATE SCHEMA team;"),
        ("CREATE SCHEMA IF NOT EXISTS board;", "CREATE SCHEMA IF NOT EXISTS team;"),
        ("ALL TABLES IN SCHEMA board TO board_agent", "ALL TABLES IN SCHEMA team TO team_agent"),
        ("REVOKE ALL ON %sSCHEMA board FROM", "REVOKE ALL ON %sSCHEMA team FROM"),
        ("'board'::regnamespace", "'team'::regnamespace"),
        ("to_regnamespace('board')", "to_regnamespace('team')"),
        ("TO board_viewer, board_gateway;", "TO team_viewer, team_gateway;"),
        ("SELECT board.claim('a'), board._x()", "SELECT team.claim('a'), team._x()"),
        # What only looks like it.
        ("whiteboard.tasks", "whiteboard.tasks"),
        ("target = 'board'", "target = 'board'"),
        ("All of the board. Then more", "All of the board. Then more"),
        ("sql/board.control", "sql/board.control"),
        ("my_board_viewer, board_viewers", "my_board_viewer, board_viewers"),
    ],
)
def test_another_schema_name(before: str, after: str) -> None:
    assert assemble.rename(before, "team") == after
    assert assemble.rename(before, "board") == before


def test_a_renamed_script_names_the_old_schema_nowhere() -> None:
    text = assemble.script("team")
    code = re.sub(r"(?m)^\s*--.*$", "", text)
    assert re.findall(r"\bboard\.[a-z_]+\(|\bboard_(?:viewer|agent|operator|admin)\b", code) == []
    assert re.findall(r".*SCHEMA board\b.*", code) == []
    assert "CREATE SCHEMA team;" in text


@pytest.mark.parametrize(
    "name", ["", "Team", "1st", "te am", "te;am", "pg_team", "select", "user", "a" * 51, 'te"am']
)
def test_schema_names_that_would_need_quotes_are_refused(name: str) -> None:
    with pytest.raises(assemble.AssembleError):
        assemble.script(name)


def test_the_plain_form_pins_the_search_path_first_and_remembers_the_release() -> None:
    lines = [ln for ln in assemble.script().splitlines() if ln and not ln.startswith("--")]
    assert lines[0] == "SET LOCAL search_path = pg_catalog, pg_temp;"
    assert f"VALUES ('{assemble.version()}'" in assemble.script()


def test_nothing_in_the_pieces_ends_a_transaction_or_speaks_to_psql() -> None:
    for path in [*assemble.files("tables"), *assemble.files("code")]:
        text = path.read_text("utf-8")
        assert not re.search(r"(?mi)^(BEGIN|COMMIT|ROLLBACK)\b.*;\s*$", text), path
        assert not re.search(r"(?m)^\\", text), path


def test_the_version_stands_in_one_place() -> None:
    text = assemble.script()
    assert "@EXTVERSION@" not in text
    assert f"'{assemble.version()}'" in text


def test_the_extension_form_leaves_the_schema_to_create_extension() -> None:
    text = assemble.script(form="extension")
    assert "CREATE SCHEMA" not in text
    assert "pg_extension_config_dump" in text
    assert "pg_extension_config_dump" not in assemble.script()
    with pytest.raises(assemble.AssembleError, match="always lives in schema board"):
        assemble.script("team", "extension")


def test_upgrade_chains_take_the_shortest_way(tmp_path: Path) -> None:
    steps = ("0.1.0--0.2.0", "0.2.0--0.3.0", "0.1.0--0.1.1", "0.1.1--0.2.0", "0.0.9--0.1.0")
    root = tree(tmp_path, {f"upgrades/{s}.sql": f"SELECT 'step {s}';\n" for s in steps})
    chain = [path.stem for path in assemble.upgrade_chain("0.1.0", root)]
    assert chain == ["0.1.0--0.2.0", "0.2.0--0.3.0"]
    assert assemble.upgrade_chain("0.3.0", root) == []
    assert assemble.upgradable_from(root) == ["0.0.9", "0.1.0", "0.1.1", "0.2.0"]
    with pytest.raises(assemble.AssembleError, match=r"no upgrade leads from 0\.0\.1"):
        assemble.upgrade_chain("0.0.1", root)


def test_an_upgrade_locks_first_then_steps_then_loads_the_code(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "upgrades/0.2.0--0.3.0.sql": "ALTER TABLE board.tasks ADD COLUMN a int;\n",
            "functions/tasks/claim.sql": "CREATE OR REPLACE FUNCTION board.claim()\n",
            "tables/tasks.sql": "CREATE TABLE board.tasks ();\n",
        },
    )
    text = assemble.upgrade_script("0.2.0", root=root)
    places = [
        text.index(part)
        for part in (
            "IN ACCESS EXCLUSIVE MODE",
            "ADD COLUMN a",
            "FUNCTION board.claim",
            "INTO board.releases",
        )
    ]
    assert places == sorted(places)
    assert "CREATE TABLE" not in text


def test_every_release_that_is_kept_has_its_upgrade() -> None:
    releases = {
        path.stem.removeprefix("board--")
        for path in (assemble.sql_root() / "releases").glob("board--*.sql")
    }
    assert releases - {assemble.version()} <= set(assemble.upgradable_from())


def test_a_release_that_is_kept_under_this_version_is_this_one() -> None:
    kept = assemble.sql_root() / "releases" / f"board--{assemble.version()}.sql"
    if kept.exists():
        assert kept.read_text("utf-8") == assemble.script(), (
            "run: make release, or raise the version"
        )


def test_the_printed_script_says_how_to_run_it() -> None:
    text = lifecycle.script_text()
    head = text[: text.index("BEGIN;")]
    assert f"install board {assemble.version()}" in head
    assert "psql -X -v ON_ERROR_STOP=1 -f" in head
    assert text.rstrip().endswith("COMMIT;")
    bare = lifecycle.script_text(transaction=False)
    assert "psql -X -1 -v ON_ERROR_STOP=1 -f" in bare
    assert not re.search(r"(?m)^(BEGIN|COMMIT);", bare)
    with pytest.raises(InstallerError, match="no upgrade leads"):
        lifecycle.script_text(upgrade_from="0.0.0")


def test_the_builder_runs_alone_with_nothing_but_python(tmp_path: Path) -> None:
    """As make extension and make script call it: no package, no site-packages."""
    builder = Path(assemble.__file__)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(builder), "--schema", "team"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.stdout == "BEGIN;\n" + assemble.script("team") + "\nCOMMIT;\n"
    subprocess.run(
        [sys.executable, "-I", "-S", str(builder), "--write-extension", str(tmp_path)], check=True
    )
    written = tmp_path / f"board--{assemble.version()}.sql"
    assert written.read_text("utf-8") == assemble.script(form="extension")
