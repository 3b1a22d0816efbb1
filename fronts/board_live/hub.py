"""What all viewers share: a bounded ring of recent events and the places in it.

Nothing here talks to a database or a socket. The feed publishes into the hub; each viewer walks
the ring at its own pace with nothing but a number, so a slow viewer costs no memory: when the ring
has turned past its place, it is dropped.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


def plain(value: Any) -> str:
    """What JSON has no type for: moments, mostly."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


def encode(
    data: Mapping[str, Any], *, event: str | None = None, cursor: str | None = None
) -> bytes:
    """One server-sent event. JSON escapes line breaks, so `data` is always one line."""
    return encode_text(dumps(data), event=event, cursor=cursor)


def encode_text(data: str, *, event: str | None = None, cursor: str | None = None) -> bytes:
    """The same with JSON that is text already."""
    lines = []
    if cursor is not None:
        lines.append(f"id: {cursor}")
    if event is not None:
        lines.append(f"event: {event}")
    return ("\n".join([*lines, f"data: {data}"]) + "\n\n").encode()


def dumps(data: Any) -> str:
    """JSON without blanks."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=plain)


def resync_frame(n: int, cursor: str) -> bytes:
    """Tells a viewer to read the state anew; its feed goes on from this cursor."""
    return encode({"n": n, "type": "resync"}, event="resync", cursor=cursor)


@dataclass(frozen=True, slots=True)
class Entry:
    """One event as every viewer gets it, and the feed cursor that resumes right after it."""

    cursor: str
    frame: bytes


class Hub:
    """The ring, and the bell that tells viewers that it has grown.

    A position counts the events published since this process began: position p means "has seen the
    first p". `epoch` tells one process's positions from another's.
    """

    def __init__(self, max_events: int = 10_000, max_bytes: int = 32 * 1024 * 1024) -> None:
        self.epoch = secrets.token_hex(6)
        self.tail = 0
        self.cursor: str | None = None
        self.viewers = 0
        self.dropped = 0
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._bytes = 0
        self._ring: deque[Entry] = deque()
        self._places: OrderedDict[str, int] = OrderedDict()
        self._counts: tuple[int, bytes] | None = None
        self._counts_version = 0
        self.status = b""
        self._bell = asyncio.Event()

    @property
    def head(self) -> int:
        """The oldest position that the ring can still serve."""
        return self.tail - len(self._ring)

    # What the feed does -------------------------------------------------------------------------

    def start(self, cursor: str) -> None:
        """The feed begins here: whoever holds this cursor has seen all that was published."""
        self.cursor = cursor
        self.alias(cursor, self.tail)

    def publish(self, cursor: str, frame: bytes) -> None:
        """Adds one event; its frame says that it is number tail + 1."""
        self.tail += 1
        self.cursor = cursor
        self._ring.append(Entry(cursor, frame))
        self._bytes += len(frame)
        self._places[cursor] = self.tail
        while len(self._ring) > self._max_events or self._bytes > self._max_bytes:
            self._bytes -= len(self._ring.popleft().frame)
        # Oldest first, but for aliases, of which there are few; what leads nowhere any more is
        # found out when it is asked for.
        while len(self._places) > 2 * self._max_events + 100:
            self._places.popitem(last=False)
        self._ring_bell()

    def resync(self, cursor: str) -> None:
        """The feed cannot vouch for what lies before this cursor: everybody starts over from it."""
        self._ring.clear()
        self._bytes = 0
        self._places.clear()
        self._counts = None
        self.publish(cursor, resync_frame(self.tail + 1, cursor))

    def alias(self, cursor: str, position: int) -> None:
        """A cursor that the ring does not carry, known to stand at this position."""
        self._places[cursor] = position
        self._places.move_to_end(cursor)

    def set_counts(self, counts: str) -> None:
        """Numbers that hold exactly at the present position, as JSON. Without an id: they are no
        event."""
        self._counts = (self.tail, encode_text(counts, event="counts"))
        self._counts_version += 1
        self._ring_bell()

    def set_status(self, status: Mapping[str, Any]) -> None:
        """How the relay itself is doing, for every viewer, whatever its place."""
        self.status = encode(status, event="status")
        self._ring_bell()

    def _ring_bell(self) -> None:
        self._bell.set()
        self._bell = asyncio.Event()

    # What a viewer does -------------------------------------------------------------------------

    def find(self, cursor: str) -> int | None:
        """Where somebody stands who has seen all up to this cursor; None: the ring cannot tell."""
        position = self._places.get(cursor)
        return position if position is not None and position >= self.head else None

    def viewer(self, position: int, told: bytes | None = None) -> Viewer:
        return Viewer(self, position, told)


class Viewer:
    """One client's walk along the ring."""

    def __init__(self, hub: Hub, position: int, told: bytes | None) -> None:
        self.hub = hub
        self.position = position
        self._counts_version = hub._counts_version
        self._told = hub.status if told is None else told

    async def frames(self, max_bytes: int = 256 * 1024) -> bytes | None:
        """What this viewer has not seen yet, waiting for it. None: it is too far behind."""
        hub = self.hub
        while True:
            bell = hub._bell
            if self.position < hub.head:
                return None
            out: list[bytes] = []
            size = 0
            if self._told is not hub.status:
                self._told = hub.status
                out.append(self._told)
            ring = hub._ring
            while self.position < hub.tail and size < max_bytes:
                frame = ring[self.position - hub.tail].frame
                out.append(frame)
                size += len(frame)
                self.position += 1
            if self._counts_version != hub._counts_version and self.position == hub.tail:
                self._counts_version = hub._counts_version
                # Numbers from another place would contradict the events that this viewer has.
                if hub._counts is not None and hub._counts[0] == self.position:
                    out.append(hub._counts[1])
            if out:
                return b"".join(out)
            await bell.wait()
