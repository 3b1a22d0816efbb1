"""How the relay holds its connections to the database, and how it lets go of dead ones."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

log = logging.getLogger("board_live")

Row = tuple[Any, ...]

# The kernel gives up on a peer that does not answer. A peer that does, but no longer forwards (a
# proxy that has lost the server), only answer_within notices.
TCP: dict[str, int] = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,
}


def conninfo(dsn: str, name: str) -> str:
    """The connection string with what it does not say itself."""
    return make_conninfo("", **{"application_name": name, **TCP, **conninfo_to_dict(dsn)})


@contextlib.contextmanager
def answer_within(seconds: float, connection: psycopg.AsyncConnection[Any]) -> Iterator[None]:
    """Cuts the connection when the database is silent for so long inside the block.

    Shutting the socket down lets whoever waits on it see its end at once. Cancelling the wait
    instead would first send a cancel request down the same dead line, and wait for that.
    """
    handle = socket.socket(fileno=os.dup(connection.fileno()))

    def cut() -> None:
        log.warning("no answer within %g s: connection given up", seconds)
        with contextlib.suppress(OSError):
            handle.shutdown(socket.SHUT_RDWR)

    timer = asyncio.get_running_loop().call_later(seconds, cut)
    try:
        yield
    finally:
        timer.cancel()
        handle.close()
