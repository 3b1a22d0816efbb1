"""The demo from its first line to its verdict."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from installer import lifecycle
from installer.demo.board import Board
from installer.demo.check import Check
from installer.demo.files import encode_path, printable, stamp
from installer.demo.files import files as files_of
from installer.demo.screen import Screen
from installer.demo.staff import TTL, Staff
from installer.demo.story import Story, Task
from installer.demo.watch import Watch
from installer.errors import Exit, InstallerError
from installer.target import Target, connect


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
    files = list(files_of(folder))
    if not files:
        raise InstallerError(Exit.USAGE, f"there is no file in {folder}")
    with connect(target, "board-demo") as connection:
        found = lifecycle.install(connection, schema)
    with (
        connect(target, "board-demo") as connection,
        tempfile.TemporaryDirectory(prefix="board-demo-") as scratch,
    ):
        story = Story(folder)
        demo = Demo(
            target,
            Board(connection, schema),
            story,
            Staff(target, schema, story.kind, Path(scratch)),
            Screen(console),
            files,
            agents,
            found.changed,
        )
        try:
            demo.play()
        except psycopg.Error as error:
            story.problems.append(f"the database refused: {error.sqlstate} {error}")
        except KeyboardInterrupt:
            demo.screen.say("\nInterrupted: the agents are sent home.")
            demo.staff.send_home(but=story.victim)
            demo.take_back()
            raise
        finally:
            story.problems += demo.staff.send_home(but=story.victim)
        return demo.verdict(stays)


@dataclass
class Demo:
    """What happens, in order."""

    target: Target
    board: Board
    story: Story
    staff: Staff
    screen: Screen
    files: list[Path]
    agents: int
    installed: bool = False

    def play(self) -> None:
        self._intro()
        watch = Watch(self.board, self.story, self.staff, self._enqueue())
        with self.screen.progress() as progress:
            self._hire(progress)
            watch.follow(progress)
        self._person()
        with self.screen.progress() as progress:
            watch.follow(progress)
        self._show()
        Check(self.board, self.story, self.screen).run()

    def _intro(self) -> None:
        self.screen.head("What you will see")
        where = printable(str(self.story.folder))
        self.screen.say(
            f"One task for each of the {len(self.files):,} files in {where}. {self.agents} agents, "
            "each a process with its own connection, claim them, hash and count them, and complete "
            "them. Nobody hands out the work: each agent asks the database."
        )
        if self.installed:
            self.screen.say(
                f"(board was not there yet: it is now installed in schema {self.board.schema}.)"
            )

    def _enqueue(self) -> str:
        """All tasks of the run; where the feed stood before them."""
        story = self.story
        self.screen.head("1. Work comes in")
        start = time.monotonic()
        cursor = str(self.board.value("SELECT {}.latest_cursor()"))
        with self.board.connection.transaction():
            for first in range(0, len(self.files), 1000):
                batch = self.files[first : first + 1000]
                ids = self.board.rows(
                    "SELECT i FROM {}.enqueue_many(%s, %s::jsonb[]) AS i",
                    *(story.kind, [json.dumps(encode_path(path)) for path in batch]),
                )
                for row, path in zip(ids, batch, strict=True):
                    story.tasks[row["i"]] = Task(path, stamp(path))
        took = time.monotonic() - start
        self.screen.sql(
            f"SELECT {self.board.schema}.enqueue_many('{story.kind}', "
            'ARRAY[\'{"path": "..."}\', ...]::jsonb[])'
        )
        self.screen.say(f"{len(self.files):,} tasks in {took:.1f} s.")
        lost = []
        for name in ("gone.txt", "back.txt"):
            path = self.staff.scratch / name
            path.write_text("now you see me\n" * 3, "utf-8")
            task = self.board.value(
                "SELECT {}.enqueue(%s, %s, correlation_id => %s)",
                *(story.kind, Jsonb(encode_path(path)), story.kind),
            )
            assert isinstance(task, UUID)
            path.unlink()
            story.tasks[task] = Task(path)
            lost.append(task)
        story.gone, story.back = lost
        self.screen.say(
            "And two more, whose files the demo has removed since, so that no agent can read them. "
            "(Taking the permission to read away would not do: root reads all the same.)"
        )
        return cursor

    def _hire(self, progress: Progress) -> None:
        """The victim first, until it is in the middle of a task; then the others."""
        story = self.story
        stall = 2 if len(self.files) >= 4 * self.agents else 0
        victim = self.staff.hire(1, "--stall-after", str(stall))
        story.victim = victim.name
        told = victim.line(30.0)
        if told is None:
            story.problems.append(f"{victim.name} did not come into the middle of a task")
            return
        story.killed = UUID(json.loads(told)["stalled"])
        for number in range(2, self.agents + 1):
            self.staff.hire(number)
        time.sleep(0.3)
        victim.kill()
        path = story.name(story.killed)
        progress.console.print(
            Text.assemble(
                (f"kill -9 {victim.process.pid}", "bold red"),
                f"  {victim.name} dies in the middle of {path} (it was told to be slow there, so "
                f"that it is). Its lease runs out within {TTL:g} s; no one has to notice.",
            ),
        )

    def _person(self) -> None:
        story = self.story
        self.screen.head("2. What agents could not do waits for a person")
        self.board.show(
            self.screen,
            "SELECT * FROM {}.human_queue WHERE kind = '" + story.kind + "'",
            "What is in the human queue no agent can claim any more.",
        )
        if story.problems:
            return
        assert story.gone is not None
        assert story.back is not None
        self.screen.sql(
            f"SELECT * FROM {self.board.schema}.claim_escalated('{story.person}', "
            f"id => '{story.gone}')"
        )
        rows = self.board.rows(
            "SELECT * FROM {}.claim_escalated(%s, id => %s)", story.person, story.gone
        )
        if len(rows) != 1:
            story.problems.append("claim_escalated did not give the task to the person")
            return
        self.screen.say(
            f"{story.person} takes the first card, reads {json.dumps(rows[0]['last_failure'])}, "
            "decides that the file is gone for good, and says so:"
        )
        verdict = {"verdict": "gone for good", "by": story.person}
        self.screen.sql(
            f"SELECT {self.board.schema}.complete('{story.gone}', '{story.person}', "
            f"'{json.dumps(verdict)}')"
        )
        self.board.rows("SELECT {}.complete(%s, %s, %s)", story.gone, story.person, Jsonb(verdict))
        path = story.tasks[story.back].path
        path.write_text("now you see me\n" * 3, "utf-8")
        story.tasks[story.back].stamp = stamp(path)
        self.screen.say(
            f"The other file {story.person} puts back, and sends the task to the agents again:"
        )
        note = {"reason": "the file is back"}
        self.screen.sql(
            f"SELECT {self.board.schema}.retry('{story.back}', '{story.person}', "
            f"'{json.dumps(note)}')"
        )
        self.board.rows("SELECT {}.retry(%s, %s, %s)", story.back, story.person, Jsonb(note))

    def _show(self) -> None:
        story = self.story
        self.screen.head("3. The board afterwards")
        self.board.show(
            self.screen, "SELECT * FROM {}.kind_stats WHERE kind = '" + story.kind + "'"
        )
        self.board.show(
            self.screen,
            "SELECT * FROM {}.human_queue",
            "Of this run nothing is left here, unless the folder held files that cannot be read.",
        )
        if story.killed is not None:
            self.board.show(
                self.screen,
                "SELECT at, what FROM {}.history WHERE task_id = '" + str(story.killed) + "'",
                f"The whole life of {story.name(story.killed)}, whose agent was killed:",
            )

    def take_back(self) -> None:
        """Cancels what an interrupted run leaves open: nobody else works on its kind."""
        kind, schema = self.story.kind, self.board.schema
        try:
            # A connection of its own: the other one may be in the middle of something.
            with connect(self.target, "board-demo") as connection:
                board = Board(connection, schema)
                rows = board.rows(
                    "SELECT t.id FROM {}.tasks AS t WHERE t.kind = %s AND t.finished_at IS NULL",
                    kind,
                )
                board.rows(
                    "SELECT count({}.cancel(c.id, %s, %s)) FROM unnest(%s::uuid[]) AS c (id)",
                    *(self.story.person, Jsonb({"reason": "the demo was interrupted"})),
                    sorted(row["id"] for row in rows),
                )
        except (psycopg.Error, InstallerError, KeyboardInterrupt) as error:
            self.screen.warn(f"What is still open stays on the board: {error}")
            self.screen.say("This cancels it:")
            self.screen.sql(
                f"SELECT count({schema}.cancel(t.id, 'you')) FROM {schema}.tasks AS t "
                f"WHERE t.kind = '{kind}' AND t.finished_at IS NULL;"
            )
        else:
            self.screen.say(
                f"{len(rows):,} of its tasks were still open and are cancelled; what was finished "
                f"stays on the board in schema {schema}, as kind {kind}."
            )

    def verdict(self, stays: bool) -> bool:
        if self.story.problems:
            self.screen.console.print()
            for problem in dict.fromkeys(self.story.problems):
                self.screen.warn(f"WRONG: {problem}")
            return False
        if not stays:
            return True
        self.screen.head("Look around")
        self.screen.say("Paste this into your shell:")
        self.screen.sql(self.target.psql())
        self.screen.say("and then, for example:")
        self.screen.sql(f"SELECT {self.board.schema}.help();")
        self.screen.sql(
            f"SELECT * FROM {self.board.schema}.history WHERE task_id = '{self.story.killed}';"
        )
        self.screen.sql(f"SELECT * FROM {self.board.schema}.kind_stats;")
        self.screen.sql(f"\\df {self.board.schema}.[^_]*")
        return True
