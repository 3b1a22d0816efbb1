"""The installation script that the template database is made with: the one that ships."""

from __future__ import annotations

from installer import assemble


def board_script() -> str:
    """What `python -m installer install` sends."""
    return assemble.script()
