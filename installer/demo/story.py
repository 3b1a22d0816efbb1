"""What is known of one run of the demo: its tasks, its people, and what went wrong."""

from __future__ import annotations

import getpass
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from installer.demo.files import printable


@dataclass
class Task:
    """One task of this run and what is known of its file."""

    path: Path
    stamp: tuple[int, int] | None = None  # size and mtime when it was enqueued


@dataclass
class Story:
    """Everything of a run has its name, so that runs on one board do not meet."""

    folder: Path
    kind: str = field(default_factory=lambda: f"demo-{secrets.token_hex(3)}")
    person: str = field(default_factory=lambda: re.sub(r"[^\w.-]", "_", _user()))
    tasks: dict[UUID, Task] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    gone: UUID | None = None  # the file that stays away
    back: UUID | None = None  # the file that a person puts back
    killed: UUID | None = None  # the task in the middle of which an agent was killed
    victim: str = ""  # that agent

    def name(self, task: UUID) -> str:
        """A task's file, as short as it can be told."""
        path = self.tasks[task].path
        inside = path.is_relative_to(self.folder)
        return printable(str(path.relative_to(self.folder) if inside else path.name))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "you"
