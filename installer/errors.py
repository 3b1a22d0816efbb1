"""Exit codes, and the one exception that ends a command with one of them."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the process ends with. Part of the interface: scripts rely on it."""

    OK = 0  # done, or nothing to do
    FAILED = 1  # a statement failed, the demo's check failed: the database is as it was
    USAGE = 2  # the command line makes no sense: a bad schema name, an unknown form
    NOT_INSTALLED = 3  # there is no board under that schema name
    DIFFERENT = 4  # verify found differences, or another release
    LOCKED = 5  # another installer or live locks were in the way until the limit
    REFUSED = 6  # rows or dependents, another release, a schema of somebody else, a standby
    UNREACHABLE = 7  # no connection to the server, or no embedded server


class InstallerError(Exception):
    """Ends the command: a message, what to do about it, and the exit code."""

    def __init__(self, code: Exit, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
