"""Is it right? Every result against sha256sum, every task against its log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from installer.demo.board import Board
from installer.demo.files import printable, sha256sum, stamp
from installer.demo.screen import Screen
from installer.demo.story import Story


@dataclass(frozen=True)
class Check:
    """The last act: what is wrong goes to the story's problems."""

    board: Board
    story: Story
    screen: Screen

    def run(self) -> None:
        story = self.story
        self.screen.head("4. Is it right?")
        rows = self.board.rows(
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
            story.kind,
        )
        board = {row["id"]: row for row in rows}
        sums = sha256sum([task.path for task in story.tasks.values()])
        changed: list[Path] = []
        unreadable: list[Path] = []
        right = 0
        for task_id, task in story.tasks.items():
            row = board.get(task_id)
            name = story.name(task_id)
            if row is None:
                story.problems.append(f"{name}: its task is not on the board")
            elif row["claimed"] != row["claim_count"]:
                story.problems.append(
                    f"{name}: claim_count {row['claim_count']}, but {row['claimed']} claims logged"
                )
            elif task_id == story.gone:
                if row["status"] != "completed" or row["finished_by"] != story.person:
                    story.problems.append(f"{name}: not completed by {story.person}")
                if row["failed"] != 3:
                    story.problems.append(f"{name}: {row['failed']} strikes, not 3")
            elif row["status"] == "escalated" and task.path not in sums:
                unreadable.append(task.path)
            elif row["status"] != "completed":
                story.problems.append(f"{name}: {row['status']}, not completed")
            elif row["completed"] != 1:
                story.problems.append(f"{name}: completed {row['completed']} times")
            elif (row["result"] or {}).get("sha256") == sums.get(task.path):
                right += 1
            elif task.stamp != stamp(task.path):
                changed.append(task.path)
            else:
                story.problems.append(
                    f"{name}: the board says {row['result']}, sha256sum {sums.get(task.path)}"
                )
        self.screen.say(
            f"{right:,} results are what sha256sum says of the file, each completed once."
        )
        if changed:
            self.screen.say(
                f"{len(changed)} files were changed by somebody while the demo ran and cannot be "
                f"compared: {', '.join(printable(str(path)) for path in changed[:5])}"
            )
        if unreadable:
            self.screen.say(
                f"{len(unreadable)} files of the folder can be read neither by the agents nor by "
                "sha256sum: their tasks wait in the human queue for you."
            )
        self._check_story(board)

    def _check_story(self, board: dict[UUID, dict[str, Any]]) -> None:
        """The killed agent's task and the one that came back."""
        story = self.story
        if story.killed is None:
            story.problems.append("no agent was killed in the middle of a task")
            return
        row = board[story.killed]
        if row["claim_count"] < 2 or row["expired"] < 1 or row["finished_by"] == story.victim:
            story.problems.append("the killed agent's task was not taken over by another")
        else:
            self.screen.say(
                f"The killed agent's task was finished by {row['finished_by']}, at attempt "
                f"{row['claim_count']}, once."
            )
        if story.back is not None:
            row = board[story.back]
            if row["failed"] != 3 or (row["escalated_at"] is None and row["completed"] != 1):
                story.problems.append("the file that came back did not go its way")
