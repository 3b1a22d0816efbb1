"""The installation script that the template database is made with: the very one users get."""

from __future__ import annotations

from functools import cache

from installer.assemble import script


@cache
def board_script() -> str:
    return script()
