"""Follows the feed of events and tells what is worth telling, until the work is done."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from rich.progress import Progress
from rich.text import Text

from installer.demo.board import Board
from installer.demo.staff import Staff
from installer.demo.story import Story
from installer.demo.worker import listen
from installer.target import connect

QUIET = 60.0  # seconds without any event after which the demo gives up


@dataclass
class Watch:
    """A reader of the feed: it listens, and reads from where it stood."""

    board: Board
    story: Story
    staff: Staff
    cursor: str

    def follow(self, progress: Progress) -> None:
        """Follows the feed of events until nothing of this run is open for agents."""
        story = self.story
        bar = progress.add_task("", total=len(story.tasks), held=0)
        with connect(self.staff.target, "board-demo-feed") as listener:
            listener.execute(listen(self.board.schema))
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
                    story.problems.append(f"nothing has happened for {QUIET:g} s: {dict(counts)}")
                    return
                if dead := self.staff.dead(but=story.victim):
                    story.problems += dead
                    return
                for _ in listener.notifies(timeout=0.5, stop_after=1):
                    pass
                time.sleep(0.05)  # a busy moment is read at once, not event by event
                for _ in listener.notifies(timeout=0):
                    pass

    def _news(self, progress: Progress) -> int:
        """Reads what is new in the feed, tells what is worth telling."""
        story = self.story
        seen = 0
        while True:
            rows = self.board.rows("SELECT * FROM {}.events_since(%s, 1000)", self.cursor)
            for row in rows:
                self.cursor = str(row["cursor"])
                task = row["task_id"]
                if task not in story.tasks:
                    continue
                seen += 1
                if task == story.killed and row["type"] == "expired":
                    self._tell(progress, "its lease has lapsed", task, "bold yellow")
                if (
                    task == story.killed
                    and row["type"] == "claimed"
                    and row["actor"] != story.victim
                ):
                    who = f"{row['actor']} takes over, attempt {row['attempt']}"
                    self._tell(progress, who, task, "bold green")
                if task in (story.gone, story.back) and row["type"] in (
                    "failed",
                    "escalated",
                ):
                    what = (
                        f"{row['actor']} cannot read it: a strike"
                        if row["type"] == "failed"
                        else "the third strike: to the human queue"
                    )
                    self._tell(progress, what, task, "yellow")
            if len(rows) < 1000:
                return seen

    def _counts(self) -> Counter[str]:
        rows = self.board.rows(
            "SELECT t.status, count(*) AS number FROM {}.tasks AS t WHERE t.kind = %s GROUP BY 1",
            self.story.kind,
        )
        return Counter({row["status"]: row["number"] for row in rows})

    def _tell(self, progress: Progress, text: str, task: UUID, style: str) -> None:
        progress.console.print(Text.assemble((text, style), f"  {self.story.name(task)}"))
