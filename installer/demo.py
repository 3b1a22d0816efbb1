"""The demo: real work through a board, one task for each file of a folder.

Agents are processes of their own (installer/worker.py). One is killed in the middle of a task;
two files cannot be read and go to the human queue. At the end each result is held against what
sha256sum says. Everything that is shown comes out of the board's own functions and views.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row, tuple_row
from psycopg.types.json import Jsonb
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from installer import lifecycle
from installer.errors import Exit, InstallerError
from installer.target import Connection, Target, connect
from installer.worker import encode_path, listen

TTL = 3.0  # seconds; short, so that the killed agent's task is taken over while one looks on
QUIET = 60.0  # seconds without any event after which the demo gives up
_SKIPPED = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache"}
    | {".ruff_cache", ".pytest_cache", ".hypothesis", ".board", "build", "dist"}
)


def run(
    target: Target,
    *,
    folder: Path,
    schema: str = "board",
    agents: int = 4,
    console: Console | None = None,
    stays: bool = True,
) -> bool:
    """Runs the demo; False when anything in it was not as it must be. stays: the server will still
    be there afterwards, so it is worth saying how to look around."""
    console = console or Console(highlight=False)
    folder = folder.expanduser().resolve()
    if not folder.is_dir():
        raise InstallerError(Exit.USAGE, f"{folder} is not a folder")
    if not 2 <= agents <= 64:
        raise InstallerError(Exit.USAGE, "--agents: from 2 (one is killed) to 64")
    files = list(_files(folder))
    if not files:
        raise InstallerError(Exit.USAGE, f"there is no file in {folder}")
    with connect(target, "board-demo") as connection:
        found = lifecycle.install(connection, schema)
    with (
        connect(target, "board-demo") as connection,
        tempfile.TemporaryDirectory(prefix="board-demo-") as scratch,
    ):
        demo = _Demo(target, connection, schema, folder, files, agents, console, Path(scratch))
        demo.installed = found.changed
        try:
            demo.play()
        except psycopg.Error as error:
            demo.problems.append(f"the database refused: {error.sqlstate} {error}")
        finally:
            demo.end()
        return demo.verdict(stays)


def _files(folder: Path) -> Iterator[Path]:
    """Regular files below the folder, in a fixed order; links are not followed."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            path = Path(here) / name
            if path.is_file() and not path.is_symlink():
                yield path


@dataclass
class _Task:
    """One task of this run and what is known of its file."""

    path: Path
    stamp: tuple[int, int] | None = None  # size and mtime when it was enqueued


@dataclass
class _Agent:
    name: str
    process: subprocess.Popen[str]
    complaints: Path


@dataclass
class _Demo:
    target: Target
    connection: Connection
    schema: str
    folder: Path
    files: list[Path]
    agents: int
    console: Console
    scratch: Path
    installed: bool = False
    problems: list[str] = field(default_factory=list)
    tasks: dict[UUID, _Task] = field(default_factory=dict)
    staff: list[_Agent] = field(default_factory=list)
    cursor: str = ""
    gone: UUID | None = None  # the file that stays away
    back: UUID | None = None  # the file that a person puts back
    killed: UUID | None = None
    victim: str = ""

    def __post_init__(self) -> None:
        # Everything of a run has its name, so that runs on one board do not meet.
        self.kind = f"demo-{secrets.token_hex(3)}"
        self.person = re.sub(r"[^\w.-]", "_", _user())

    # What happens, in order.

    def play(self) -> None:
        self._intro()
        self._enqueue()
        with self._progress() as progress:
            self._hire(progress)
            self._watch(progress)
        self._person()
        with self._progress() as progress:
            self._watch(progress)
        self._show()
        self._check()

    def _intro(self) -> None:
        self._head("What you will see")
        where = _printable(str(self.folder))
        self._say(
            f"One task for each of the {len(self.files):,} files in {where}. {self.agents} agents, "
            "each a process with its own connection, claim them, hash and count them, and complete "
            "them. Nobody hands out the work: each agent asks the database."
        )
        if self.installed:
            self._say(f"(board was not there yet: it is now installed in schema {self.schema}.)")

    def _enqueue(self) -> None:
        self._head("1. Work comes in")
        start = time.monotonic()
        self.cursor = str(self._value("SELECT {}.latest_cursor()"))
        with self.connection.transaction():
            for first in range(0, len(self.files), 1000):
                batch = self.files[first : first + 1000]
                ids = self._rows(
                    "SELECT i FROM {}.enqueue_many(%s, %s::jsonb[]) AS i",
                    *(self.kind, [json.dumps(encode_path(path)) for path in batch]),
                )
                for row, path in zip(ids, batch, strict=True):
                    self.tasks[row["i"]] = _Task(path, _stamp(path))
        took = time.monotonic() - start
        self._sql(
            f"SELECT {self.schema}.enqueue_many('{self.kind}', "
            'ARRAY[\'{"path": "..."}\', ...]::jsonb[])'
        )
        self._say(f"{len(self.files):,} tasks in {took:.1f} s.")
        lost = []
        for name in ("gone.txt", "back.txt"):
            path = self.scratch / name
            path.write_text("now you see me\n" * 3, "utf-8")
            task = self._value(
                "SELECT {}.enqueue(%s, %s, correlation_id => %s)",
                *(self.kind, Jsonb(encode_path(path)), self.kind),
            )
            assert isinstance(task, UUID)
            path.unlink()
            self.tasks[task] = _Task(path)
            lost.append(task)
        self.gone, self.back = lost
        self._say(
            "And two more, whose files the demo has removed since, so that no agent can read them. "
            "(Taking the permission to read away would not do: root reads all the same.)"
        )

    def _hire(self, progress: Progress) -> None:
        """The victim first, until it is in the middle of a task; then the others."""
        stall = 2 if len(self.files) >= 4 * self.agents else 0
        victim = self._start(1, "--stall-after", str(stall))
        self.victim = victim.name
        told = _line(victim.process, 30.0)
        if told is None:
            self.problems.append(f"{victim.name} did not come into the middle of a task")
            return
        self.killed = UUID(json.loads(told)["stalled"])
        for number in range(2, self.agents + 1):
            self._start(number)
        time.sleep(0.3)
        victim.process.send_signal(signal.SIGKILL)
        victim.process.wait()
        path = self._short(self.killed)
        progress.console.print(
            Text.assemble(
                (f"kill -9 {victim.process.pid}", "bold red"),
                f"  {victim.name} dies in the middle of {path} (it was told to be slow there, so "
                f"that it is). Its lease runs out within {TTL:g} s; no one has to notice.",
            ),
        )

    def _watch(self, progress: Progress) -> None:
        """Follows the feed of events until nothing of this run is open for agents."""
        bar = progress.add_task("", total=len(self.tasks), held=0)
        with connect(self.target, "board-demo-feed") as listener:
            listener.execute(listen(self.schema))
            last = time.monotonic()
            while True:
                seen = self._news(progress)
                counts = self._counts()
                progress.update(
                    bar,
                    completed=counts["completed"] + counts["cancelled"] + counts["escalated"],
                    held=counts["in_progress"],
                )
                if not counts["pending"] + counts["scheduled"] + counts["in_progress"]:
                    return
                if seen:
                    last = time.monotonic()
                if time.monotonic() - last > QUIET:
                    self.problems.append(f"nothing has happened for {QUIET:g} s: {dict(counts)}")
                    return
                if dead := self._dead():
                    self.problems += dead
                    return
                for _ in listener.notifies(timeout=0.5, stop_after=1):
                    pass
                time.sleep(0.05)  # a busy moment is read at once, not event by event
                for _ in listener.notifies(timeout=0):
                    pass

    def _news(self, progress: Progress) -> int:
        """Reads what is new in the feed, tells what is worth telling."""
        seen = 0
        while True:
            rows = self._rows("SELECT * FROM {}.events_since(%s, 1000)", self.cursor)
            for row in rows:
                self.cursor = str(row["cursor"])
                task = row["task_id"]
                if task not in self.tasks:
                    continue
                seen += 1
                if task == self.killed and row["type"] == "expired":
                    self._tell(progress, "its lease has lapsed", task, "bold yellow")
                if task == self.killed and row["type"] == "claimed" and row["actor"] != self.victim:
                    who = f"{row['actor']} takes over, attempt {row['attempt']}"
                    self._tell(progress, who, task, "bold green")
                if task in (self.gone, self.back) and row["type"] in ("failed", "escalated"):
                    what = (
                        f"{row['actor']} cannot read it: a strike"
                        if row["type"] == "failed"
                        else "the third strike: to the human queue"
                    )
                    self._tell(progress, what, task, "yellow")
            if len(rows) < 1000:
                return seen

    def _person(self) -> None:
        self._head("2. What agents could not do waits for a person")
        self._view(
            "SELECT * FROM {}.human_queue WHERE kind = '" + self.kind + "'",
            "What is in the human queue no agent can claim any more.",
        )
        if self.problems:
            return
        assert self.gone is not None
        assert self.back is not None
        self._sql(
            f"SELECT * FROM {self.schema}.claim_escalated('{self.person}', id => '{self.gone}')"
        )
        rows = self._rows("SELECT * FROM {}.claim_escalated(%s, id => %s)", self.person, self.gone)
        if len(rows) != 1:
            self.problems.append("claim_escalated did not give the task to the person")
            return
        self._say(
            f"{self.person} takes the first card, reads {json.dumps(rows[0]['last_failure'])}, "
            "decides that the file is gone for good, and says so:"
        )
        verdict = {"verdict": "gone for good", "by": self.person}
        self._sql(
            f"SELECT {self.schema}.complete('{self.gone}', '{self.person}', "
            f"'{json.dumps(verdict)}')"
        )
        self._rows("SELECT {}.complete(%s, %s, %s)", self.gone, self.person, Jsonb(verdict))
        path = self.tasks[self.back].path
        path.write_text("now you see me\n" * 3, "utf-8")
        self.tasks[self.back].stamp = _stamp(path)
        self._say(
            f"The other file {self.person} puts back, and sends the task to the agents again:"
        )
        note = {"reason": "the file is back"}
        self._sql(
            f"SELECT {self.schema}.retry('{self.back}', '{self.person}', '{json.dumps(note)}')"
        )
        self._rows("SELECT {}.retry(%s, %s, %s)", self.back, self.person, Jsonb(note))

    def _show(self) -> None:
        self._head("3. The board afterwards")
        self._view("SELECT * FROM {}.kind_stats WHERE kind = '" + self.kind + "'")
        self._view(
            "SELECT * FROM {}.human_queue",
            "Of this run nothing is left here, unless the folder held files that cannot be read.",
        )
        if self.killed is not None:
            self._view(
                "SELECT at, what FROM {}.history WHERE task_id = '" + str(self.killed) + "'",
                f"The whole life of {self._short(self.killed)}, whose agent was killed:",
            )

    def _check(self) -> None:
        self._head("4. Is it right?")
        rows = self._rows(
            """
            SELECT t.id, t.status, t.result, t.claim_count, t.finished_by, t.escalated_at,
                   count(*) FILTER (WHERE e.type = 'completed') AS completed,
                   count(*) FILTER (WHERE e.type = 'claimed') AS claimed,
                   count(*) FILTER (WHERE e.type = 'failed') AS failed,
                   count(*) FILTER (WHERE e.type = 'expired') AS expired
            FROM {0}.tasks AS t
            LEFT JOIN {0}.task_events AS e ON e.task_id = t.id
            WHERE t.kind = %s
            GROUP BY t.id
            """,
            self.kind,
        )
        board = {row["id"]: row for row in rows}
        sums = _sha256sum([task.path for task in self.tasks.values()])
        changed: list[Path] = []
        unreadable: list[Path] = []
        right = 0
        for task_id, task in self.tasks.items():
            row = board.get(task_id)
            name = self._short(task_id)
            if row is None:
                self.problems.append(f"{name}: its task is not on the board")
            elif row["claimed"] != row["claim_count"]:
                self.problems.append(
                    f"{name}: claim_count {row['claim_count']}, but {row['claimed']} claims logged"
                )
            elif task_id == self.gone:
                if row["status"] != "completed" or row["finished_by"] != self.person:
                    self.problems.append(f"{name}: not completed by {self.person}")
                if row["failed"] != 3:
                    self.problems.append(f"{name}: {row['failed']} strikes, not 3")
            elif row["status"] == "escalated" and task.path not in sums:
                unreadable.append(task.path)
            elif row["status"] != "completed":
                self.problems.append(f"{name}: {row['status']}, not completed")
            elif row["completed"] != 1:
                self.problems.append(f"{name}: completed {row['completed']} times")
            elif (row["result"] or {}).get("sha256") == sums.get(task.path):
                right += 1
            elif task.stamp != _stamp(task.path):
                changed.append(task.path)
            else:
                self.problems.append(
                    f"{name}: the board says {row['result']}, sha256sum {sums.get(task.path)}"
                )
        self._say(f"{right:,} results are what sha256sum says of the file, each completed once.")
        if changed:
            self._say(
                f"{len(changed)} files were changed by somebody while the demo ran and cannot be "
                f"compared: {', '.join(_printable(str(path)) for path in changed[:5])}"
            )
        if unreadable:
            self._say(
                f"{len(unreadable)} files of the folder can be read neither by the agents nor by "
                "sha256sum: their tasks wait in the human queue for you."
            )
        self._check_story(board)

    def _check_story(self, board: dict[UUID, dict[str, Any]]) -> None:
        """The killed agent's task and the one that came back."""
        if self.killed is None:
            self.problems.append("no agent was killed in the middle of a task")
            return
        row = board[self.killed]
        if row["claim_count"] < 2 or row["expired"] < 1 or row["finished_by"] == self.victim:
            self.problems.append("the killed agent's task was not taken over by another")
        else:
            self._say(
                f"The killed agent's task was finished by {row['finished_by']}, at attempt "
                f"{row['claim_count']}, once."
            )
        if self.back is not None:
            row = board[self.back]
            if row["failed"] != 3 or (row["escalated_at"] is None and row["completed"] != 1):
                self.problems.append("the file that came back did not go its way")

    def end(self) -> None:
        """Sends the agents home; none is left behind."""
        for agent in self.staff:
            if agent.process.poll() is None:
                agent.process.terminate()
        for agent in self.staff:
            try:
                agent.process.wait(10)
            except subprocess.TimeoutExpired:
                agent.process.kill()
                agent.process.wait()
                self.problems.append(f"{agent.name} did not go when told to")
            if agent.process.stdout is not None:
                agent.process.stdout.close()
            if agent.process.returncode != 0 and agent.name != self.victim:
                self.problems.append(f"{agent.name}: {agent.complaints.read_text().strip()}")

    def verdict(self, stays: bool) -> bool:
        if self.problems:
            self.console.print()
            for problem in dict.fromkeys(self.problems):
                self.console.print(Text(f"WRONG: {problem}", style="bold red"), soft_wrap=True)
            return False
        if not stays:
            return True
        self._head("Look around")
        self._say("Paste this into your shell:")
        self._sql(self.target.psql())
        self._say("and then, for example:")
        self._sql(f"SELECT {self.schema}.help();")
        self._sql(f"SELECT * FROM {self.schema}.history WHERE task_id = '{self.killed}';")
        self._sql(f"SELECT * FROM {self.schema}.kind_stats;")
        self._sql(f"\\df+ {self.schema}.*")
        return True

    # How it is done.

    def _start(self, number: int, *more: str) -> _Agent:
        name = f"agent-{number}"
        complaints = self.scratch / f"{name}.stderr"
        environment = dict(os.environ)
        package = str(Path(__file__).resolve().parent.parent)
        environment["PYTHONPATH"] = os.pathsep.join(
            part for part in (package, environment.get("PYTHONPATH")) if part
        )
        if self.target.dsn:
            environment["BOARD_DSN"] = self.target.dsn
        with complaints.open("w") as stderr:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "installer.worker", "--agent", name),
                    *("--kind", self.kind, "--schema", self.schema, "--ttl", str(TTL), *more),
                ],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        agent = _Agent(name, process, complaints)
        self.staff.append(agent)
        return agent

    def _dead(self) -> list[str]:
        return [
            f"{agent.name} ended by itself: {agent.complaints.read_text().strip()}"
            for agent in self.staff
            if agent.name != self.victim and agent.process.poll() is not None
        ]

    def _counts(self) -> Counter[str]:
        rows = self._rows(
            "SELECT t.status, count(*) AS number FROM {}.tasks AS t WHERE t.kind = %s GROUP BY 1",
            self.kind,
        )
        return Counter({row["status"]: row["number"] for row in rows})

    def _rows(self, query: str, *arguments: Any) -> list[dict[str, Any]]:
        text = query.format(self.schema)
        with self.connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(text.encode(), arguments or None)
            return cursor.fetchall()

    def _value(self, query: str, *arguments: Any) -> object:
        (row,) = self._rows(query, *arguments)
        return next(iter(row.values()))

    def _short(self, task: UUID) -> str:
        path = self.tasks[task].path
        inside = path.is_relative_to(self.folder)
        return _printable(str(path.relative_to(self.folder) if inside else path.name))

    # What it looks like.

    @contextmanager
    def _progress(self) -> Iterator[Progress]:
        with Progress(
            TextColumn("    "),
            BarColumn(bar_width=50),
            MofNCompleteColumn(),
            TextColumn("done, {task.fields[held]} held"),
            TimeElapsedColumn(),
            console=self.console,
        ) as progress:
            yield progress

    def _head(self, text: str) -> None:
        self.console.print()
        self.console.print(Text(text, style="bold"))

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, width=min(self.console.width, 100))

    def _sql(self, text: str) -> None:
        self.console.print(Text(f"    {text}", style="cyan"), soft_wrap=True)

    def _tell(self, progress: Progress, text: str, task: UUID, style: str) -> None:
        progress.console.print(Text.assemble((text, style), f"  {self._short(task)}"))

    def _view(self, query: str, before: str = "") -> None:
        """A query and its answer, as psql would show it."""
        if before:
            self._say(before)
        text = query.format(self.schema)
        self._sql(f"{text};")
        with self.connection.cursor(row_factory=tuple_row) as cursor:
            cursor.execute(text.encode())
            names = [column.name for column in cursor.description or ()]
            rows = [[_cell(value) for value in row] for row in cursor.fetchall()]
        for line in _table(names, rows[:20], self.console.width):
            self.console.print(Text(line), soft_wrap=True)
        if len(rows) > 20:
            self._say(f"    ... {len(rows) - 20:,} more rows")
        self.console.print()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "you"


def _printable(name: str) -> str:
    """Names of files may hold anything: line breaks, terminal commands, bytes that are no text."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _line(process: subprocess.Popen[str], seconds: float) -> str | None:
    """The first line a process says, if it says one in time."""
    said: list[str] = []
    stream = process.stdout
    assert stream is not None
    reader = threading.Thread(target=lambda: said.append(stream.readline()), daemon=True)
    reader.start()
    reader.join(seconds)
    return said[0] if said and said[0] else None


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%H:%M:%S}"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return re.sub(r"\s+", " ", str(value))


def _table(names: list[str], rows: list[list[str]], width: int) -> Iterator[str]:
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


def _sha256sum(paths: list[Path]) -> dict[Path, str]:
    """What sha256sum itself says; files that it cannot read are left out."""
    program = shutil.which("sha256sum")
    if program is None:
        raise InstallerError(Exit.FAILED, "there is no sha256sum here to check the results against")
    sums: dict[Path, str] = {}
    for batch in _batches(paths, 100_000):
        told = subprocess.run(
            [program, "--zero", "--", *batch], check=False, capture_output=True
        ).stdout
        for entry in told.split(b"\0"):
            if entry:
                digest, _, name = entry.partition(b"  ")
                sums[Path(os.fsdecode(name))] = digest.decode("ascii")
    return sums


def _batches(paths: list[Path], most: int) -> Iterator[list[str]]:
    """Command lines of at most so many bytes."""
    batch: list[str] = []
    size = 0
    for path in map(os.fspath, paths):
        length = len(os.fsencode(path)) + 9  # with its pointer and its end
        if batch and size + length > most:
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += length
    if batch:
        yield batch
