"""The demo: it ends well, it can be run again, and it notices when something is wrong."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from psycopg.rows import dict_row
from rich.console import Console

from installer import demo
from installer.demo.check import Check
from installer.demo.files import encode_path
from installer.demo.play import run
from installer.demo.screen import table
from installer.demo.staff import Agent, Staff
from installer.errors import InstallerError
from installer.target import Target
from tests.support.pooler import pooled
from tests.support.testdb import TestDb

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Small files, an empty one, a large one, names that are hard on shells and on JSON."""
    root = tmp_path / "a folder"
    (root / "deep" / "er").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("not for the demo")
    for number in range(25):
        (root / "deep" / f"{number}.txt").write_text(f"line {number}\n" * number)
    (root / "empty").touch()
    (root / "deep" / "er" / "large").write_bytes(os.urandom(5_000_000))
    (root / 'sp ace\n"quote".txt').write_text("odd\n")
    (root / os.fsdecode(b"not-utf8-\xff")).write_text("odd too\n")
    (root / "dangling").symlink_to(root / "nowhere")
    return root


def play(database: TestDb, folder: Path, **more: Any) -> tuple[bool, str]:
    said = io.StringIO()
    console = Console(file=said, width=110, highlight=False)
    passed = run(
        Target(database.dsn, "the test's"), folder=folder, console=console, agents=3, **more
    )
    return passed, said.getvalue()


@pytest.mark.slow
def test_the_demo_ends_well_twice_on_one_board(board_db: TestDb, folder: Path) -> None:
    passed, told = play(board_db, folder)
    assert passed, told
    # 29 files (neither the link nor .git) and the one that came back.
    assert "30 results are what sha256sum says" in told
    assert "kill -9" in told
    assert r'sp ace\n"quote".txt' in told
    assert re.search(r"its lease has lapsed.*\n.*agent-[23] takes over, attempt 2", told), told
    assert told.count("cannot read it: a strike") == 6
    assert told.count("the third strike: to the human queue") == 2
    for view in ("kind_stats", "human_queue", "history"):
        assert f"FROM board.{view}" in told
    assert "psql" in told

    kinds = board_db.rows("SELECT DISTINCT t.kind FROM board.tasks AS t")
    assert len(kinds) == 1
    assert board_db.rows("SELECT DISTINCT t.status FROM board.tasks AS t") == [("completed",)]
    # The killed agent's task, as the log has it.
    story = board_db.rows(
        "SELECT e.type, e.actor, e.attempt FROM board.task_events AS e WHERE e.task_id ="
        " (SELECT x.task_id FROM board.task_events AS x WHERE x.type = 'expired')"
        " AND e.type <> 'extended'"
        " ORDER BY e.seq"
    )
    assert [(kind, attempt) for kind, _, attempt in story] == [
        ("enqueued", 0),
        ("claimed", 1),
        ("expired", 1),
        ("claimed", 2),
        ("completed", 2),
    ]
    assert story[1][1] == "agent-1"
    assert story[3][1] == story[4][1] != "agent-1"
    assert board_db.one("SELECT count(*) FROM board.human_queue") == 0
    sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'agent-%'"
    board_db.wait_for(f"SELECT ({sessions}) = 0")

    passed, told = play(board_db, folder / "deep" / "er")
    assert passed, told
    assert "2 results are what sha256sum says" in told


@pytest.mark.slow
def test_the_demo_installs_what_is_missing_and_names_files_that_nobody_can_read(
    board_db: TestDb, folder: Path
) -> None:
    board_db.owner.execute("DROP SCHEMA board CASCADE")
    if os.geteuid() != 0:
        (folder / "deep" / "1.txt").chmod(0)
    passed, told = play(board_db, folder)
    assert passed, told
    assert "it is now installed" in told
    if os.geteuid() != 0:
        assert "1 files of the folder can be read neither" in told


WRONG = {
    "a wrong result": (
        'UPDATE board.tasks SET result = \'{"sha256": "00"}\' WHERE id = %s',
        "the board says",
    ),
    "a task that is missing": ("DELETE FROM board.tasks WHERE id = %s", "not on the board"),
    "a task that is not done": (
        (
            "UPDATE board.tasks SET status = 'pending', finished_at = NULL, finished_by = NULL"
            " WHERE id = %s"
        ),
        "pending, not completed",
    ),
    "a second completion in the log": (
        (
            "INSERT INTO board.task_events (task_id, kind, type, attempt, actor, db_user)"
            " SELECT e.task_id, e.kind, e.type, e.attempt, e.actor, e.db_user"
            " FROM board.task_events AS e WHERE e.task_id = %s AND e.type = 'completed'"
        ),
        "completed 2 times",
    ),
}


@pytest.mark.slow
def test_the_demos_check_notices(
    board_db: TestDb, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kind of wrong that the demo must exit non-zero for, done behind its back."""
    told: dict[str, list[str]] = {}
    check = Check.run

    def meddle(self: Check) -> None:
        task = board_db.rows(
            "SELECT t.id FROM board.tasks AS t WHERE t.claim_count = 1 ORDER BY t.id LIMIT 1"
        )[0][0]
        for name, (statement, _) in WRONG.items():
            with self.board.connection.transaction(force_rollback=True):
                self.board.connection.execute("SET LOCAL session_replication_role = replica")
                self.board.connection.execute(statement.encode(), [task])
                self.story.problems = []
                check(self)
                told[name] = self.story.problems
        self.story.problems = ["the rest is the test's doing"]

    monkeypatch.setattr(Check, "run", meddle)
    passed, _ = play(board_db, folder / "deep")
    assert not passed
    for name, (_, expected) in WRONG.items():
        assert any(expected in problem for problem in told[name]), (name, told[name])


def test_an_agent_that_dies_unexpectedly_fails_the_demo(
    board_db: TestDb, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = Staff.hire

    def start_and_kill(self: Staff, number: int, *more: str) -> Agent:
        agent = start(self, number, *more)
        if number == 3:
            agent.kill()
        return agent

    monkeypatch.setattr(Staff, "hire", start_and_kill)
    passed, told = play(board_db, folder / "deep")
    assert not passed
    assert "agent-3" in told


def started(database: TestDb, folder: Path) -> subprocess.Popen[str]:
    """The demo as a command, in a group of its own, as soon as its agents are at work."""
    process = subprocess.Popen(
        [*(sys.executable, "-m", "installer", "demo", str(folder), "--dsn", database.dsn)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    database.wait_for(
        "SELECT count(*) >= 3 FROM pg_stat_activity AS a WHERE a.application_name LIKE 'agent-%'"
        " AND a.datname = current_database()"
    )
    return process


AGENTS_GONE = (
    "SELECT count(*) = 0 FROM pg_stat_activity AS a"
    " WHERE a.application_name LIKE 'agent-%' AND a.datname = current_database()"
)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """More files than agents hash before somebody has had enough."""
    root = tmp_path / "many"
    root.mkdir()
    for number in range(4000):
        (root / f"{number}.txt").write_text("x\n")
    return root


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_takes_back_what_it_put_on_the_board(
    board_db: TestDb, many: Path, how: signal.Signals
) -> None:
    other = board_db.one("SELECT board.enqueue('other')")
    process = started(board_db, many)
    if how is signal.SIGINT:  # Ctrl-C goes to the whole group
        os.killpg(process.pid, how)
    else:
        process.send_signal(how)
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "nothing was changed" not in told
    assert "Traceback" not in told
    left = board_db.rows(
        "SELECT DISTINCT t.status FROM board.tasks AS t"
        " WHERE t.kind LIKE 'demo-%' AND t.finished_at IS NULL"
    )
    assert left == []
    cancelled = board_db.one("SELECT count(*) FROM board.tasks AS t WHERE t.status = 'cancelled'")
    assert cancelled > 0
    assert f"{cancelled:,} of its tasks were still open and are cancelled" in told
    assert board_db.status(other) == "pending"
    board_db.wait_for(AGENTS_GONE)


@pytest.mark.slow
def test_no_agent_outlives_a_killed_demo(board_db: TestDb, many: Path) -> None:
    process = started(board_db, many)
    process.kill()
    process.communicate(timeout=60)
    board_db.wait_for(AGENTS_GONE)


@pytest.mark.slow
@pytest.mark.pooler
def test_the_demo_goes_through_a_pooler(board_db: TestDb, folder: Path) -> None:
    """Each statement on another session: nothing may be prepared in one and wanted in another."""
    with pooled(board_db.dsn) as through:
        said = io.StringIO()
        passed = run(
            Target(through, "a pooler"),
            folder=folder,
            console=Console(file=said, width=110, highlight=False),
            agents=4,
        )
    assert passed, said.getvalue()


def test_make_demo_hands_the_folder_on_as_it_was_typed(tmp_path: Path) -> None:
    """Quotes, dollars, spaces: the shell that make starts must not read them again."""
    environment = tmp_path / "venv"
    (environment / "bin").mkdir(parents=True)
    python = environment / "bin" / "python"
    python.write_text('#!/bin/sh\nprintf "[%s]" "$@"\n')
    python.chmod(0o755)
    (environment / ".ready").touch()
    for name in ("my papers", "with \"quotes\" and 'more'", "$HOME $(id) `id` $x", "a\\b", "#1"):
        for where in ({"FOLDER": name}, {}):
            done = subprocess.run(
                ["make", "--silent", "demo", f"VENV={environment}"]
                + ([] if where else [f"FOLDER={name}"]),
                cwd=ROOT,
                env={**os.environ, **where},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.stdout == f"[-m][installer][demo][{name}]", (name, done)
    done = subprocess.run(
        ["make", "--silent", "demo", f"VENV={environment}", "AGENTS=7"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "[-m][installer][demo][--agents][7]", done


def test_what_makes_no_sense_is_refused(board_db: TestDb, tmp_path: Path) -> None:
    for where in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InstallerError):
            play(board_db, where)
    (tmp_path / "file").touch()
    with pytest.raises(InstallerError, match="--agents"):
        run(Target(board_db.dsn, ""), folder=tmp_path, agents=1)


def test_names_of_files_survive_json() -> None:
    assert encode_path(Path("/a/ü b")) == {"path": "/a/ü b"}
    odd = Path(os.fsdecode(b"/a/\xff"))
    assert set(encode_path(odd)) == {"path_base64"}


def test_the_worker_says_only_verbs_of_agents(board_db: TestDb) -> None:
    """What it calls is what a member of board_agent may call."""
    text = Path(demo.__file__).with_name("worker.py").read_text("utf-8")
    verbs = set(re.findall(r'"(\w+)\(%s', text)) | {"next_due"}
    assert {"claim", "heartbeat", "complete", "fail"} <= verbs
    for verb in verbs:
        assert board_db.one(
            "SELECT bool_and(has_function_privilege('board_agent', p.oid, 'EXECUTE'))"
            " FROM pg_proc AS p WHERE p.pronamespace = 'board'::regnamespace AND p.proname = %s",
            verb,
        ), verb


def test_rows_are_shown_as_psql_would(board_db: TestDb) -> None:
    names = ["id", "what"]
    rows = [["1", "short"], ["2", "a long text that does not fit into the window at all, no no"]]
    wide = list(table(names, rows, 100))
    assert wide[0].split() == ["id", "|", "what"]
    assert wide[-1] == "(2 rows)"
    folded = list(table(names, rows, 40))
    assert all(len(line) <= 40 for line in folded)
    assert len(folded) == len(wide) + 1
    record = list(table(["a" * 30, "what"], [["x" * 30, "y" * 60]], 40))
    assert record[0].startswith("-[ RECORD 1 ]")
    assert list(table(names, [], 80)) == ["(no rows)"]


def test_one_claim_by_hand_is_what_the_worker_does(board_db: TestDb) -> None:
    """Not the demo: the row that claim returns has what the worker reads from it."""
    board_db.owner.execute("SELECT board.enqueue('k', '{\"path\": \"/x\"}')")
    with board_db.connect(row_factory=dict_row) as session:
        row: Any = session.execute("SELECT * FROM board.claim(%s)", [str(uuid4())]).fetchone()
    assert {"id", "payload", "claim_count"} <= row.keys()
