"""The installation script that the template database is made with."""

from __future__ import annotations

from pathlib import Path

SQL = Path(__file__).resolve().parents[2] / "sql"


def board_script() -> str:
    """Every file of load_order.txt, once, in its order."""
    files: list[Path] = []
    for line in (SQL / "load_order.txt").read_text().splitlines():
        pattern = line.split("#")[0].strip()
        if pattern and not pattern.startswith("["):
            files += [path for path in sorted(SQL.glob(pattern)) if path not in files]
    head = "SET LOCAL search_path = pg_catalog, pg_temp;\nSET LOCAL check_function_bodies = off;\n"
    return head + "\n".join(path.read_text() for path in files)
