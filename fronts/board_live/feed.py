"""The one connection that listens and reads, and everything that is read over it.

Rung by NOTIFY, by a request, or by the clock once a second, it reads the feed from its cursor and
publishes into the hub. What viewers need beyond that (the state of the board, the events since a
cursor that the ring does not know) is read here too, inside one REPEATABLE READ transaction with
the feed itself: both then end at the same snapshot, so that a viewer can go from the one to the
other without losing or doubling an event, and the answer is shared by all who asked for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import psycopg
from psycopg import sql

from . import queries
from .hub import Hub, dumps, plain, resync_frame
from .wire import Row, answer_within, conninfo

log = logging.getLogger("board_live")

T = TypeVar("T")

PAGE = 1000
CARDS = 50
# What a read can fail with because of a value in it: it prints as more than PostgreSQL holds, or
# takes too long to print.
UNREADABLE = (
    psycopg.errors.ProgramLimitExceeded,
    psycopg.errors.StatementTooComplex,
    psycopg.errors.OutOfMemory,
    psycopg.errors.InternalError_,
    psycopg.errors.QueryCanceled,
)
TOO_MUCH = json.dumps(queries.NOT_SHOWN)


class Away(Exception):  # noqa: N818 - a state of the world, not a fault
    """The database cannot be asked at the moment."""


@dataclass(frozen=True)
class CatchUp:
    """Events that a viewer missed, and where it goes on in the ring; None: ask for more first."""

    frames: bytes
    cursor: str
    position: int | None


@dataclass(frozen=True)
class Task:
    """One task and its timeline as JSON."""

    body: bytes


@dataclass(frozen=True)
class State:
    """The whole board as JSON, its place in the ring, and until when it is new enough."""

    body: bytes
    position: int
    until: float


class Feed:
    """Keeps the hub in step with the board."""

    def __init__(
        self,
        hub: Hub,
        dsn: str,
        *,
        schema: str = "board",
        role: str | None = None,
        poll: float = 1.0,
        answer_within: float = 10.0,
        breath: float = 0.02,
    ) -> None:
        self.hub = hub
        self.statements = 0
        self._dsn = dsn
        self._schema = schema
        self._channel = "task_events" if schema == "board" else f"{schema}.task_events"
        self._role = role
        self._poll = poll
        self._within = answer_within
        self._breath = breath
        self._sql = {name: queries.compose(getattr(queries, name), schema) for name in queries.READ}
        self._inside = False
        self._recent: deque[dict[str, Any]] = deque(maxlen=14)
        self._beats: dict[int, int] = {}
        self._up: bool | None = None
        self._since = datetime.now(UTC)
        self._wake = asyncio.Event()
        self._catch_ups: dict[str, asyncio.Future[CatchUp]] = {}
        self._states: dict[str, asyncio.Future[State]] = {}
        self._kept: dict[str, State] = {}
        self._tasks: dict[str, asyncio.Future[Task | None]] = {}
        self._counts: dict[str, Any] = {}
        self._budgets: list[Row] = []
        self._odd: dict[str, None] = {}  # tasks with a value that cannot be printed, oldest first
        self._numbers: Mapping[str, Any] | None = None
        self._counts_at = -1
        self._next_counts = 0.0

    # What the web side asks ---------------------------------------------------------------------

    async def state(self, kind: str | None) -> State:
        """The board for a new viewer. Read about once a second at most, however many ask.

        It may be a little old: the stream goes on from its cursor.
        """
        key = kind or ""
        kept = self._kept.get(key)
        if (
            kept is not None
            and self._up
            and kept.position >= self.hub.head
            and time.monotonic() < kept.until
        ):
            return kept
        return await self._ask(self._states, key)

    async def catch_up(self, cursor: str) -> CatchUp:
        """The next page of what happened since a cursor that the ring does not know."""
        return await self._ask(self._catch_ups, cursor, patience=None)

    async def task(self, task_id: str) -> Task | None:
        """One task and its timeline; None when the board has never had it."""
        return await self._ask(self._tasks, task_id)

    async def _ask(
        self, asked: dict[str, asyncio.Future[T]], key: str, patience: float | None = 5.0
    ) -> T:
        future = asked.get(key)
        if future is None:
            future = asked[key] = asyncio.get_running_loop().create_future()
            # Nobody may be left to take an exception.
            future.add_done_callback(lambda f: None if f.cancelled() else f.exception())
        self._wake.set()
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(future)
        except TimeoutError:
            raise Away from None

    # The connection -----------------------------------------------------------------------------

    async def run(self) -> None:
        """For ever: connect, follow, and when that ends, connect again."""
        delay = 0.1
        while True:
            began = time.monotonic()
            try:
                async with await self._connect() as connection:
                    await self._follow(connection)
            except (psycopg.OperationalError, psycopg.InterfaceError, OSError) as problem:
                log.warning("database away: %s", str(problem).strip() or type(problem).__name__)
            except psycopg.Error as problem:
                log.error("database refuses: %s", str(problem).strip())
            except Exception:
                log.exception("the feed stumbled")
            self._say(up=False)
            if time.monotonic() - began > 10:
                delay = 0.1
            await asyncio.sleep(delay * random.uniform(0.5, 1.0))
            delay = min(delay * 2, 2.0)

    async def _connect(self) -> psycopg.AsyncConnection[Row]:
        connection = await psycopg.AsyncConnection.connect(
            conninfo(self._dsn, "board_live"), autocommit=True
        )
        try:
            with self._answer(connection):
                if self._role:
                    await connection.execute(
                        sql.SQL("SET ROLE {}").format(sql.Identifier(self._role))
                    )
                await connection.execute("SET default_transaction_read_only = on")
                await connection.execute("SET statement_timeout = '8s'")
                await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
            await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
            await connection.set_read_only(True)
        except BaseException:
            await connection.close()
            raise
        connection.add_notify_handler(lambda _: self._wake.set())
        return connection

    def _answer(
        self, connection: psycopg.AsyncConnection[Row]
    ) -> contextlib.AbstractContextManager[None]:
        return answer_within(self._within, connection)

    async def _follow(self, connection: psycopg.AsyncConnection[Row]) -> None:
        """The loop of one connection; ends only by an exception."""
        pause = self._breath
        while True:
            self._wake.clear()
            with self._answer(connection):
                if self.hub.cursor is None:
                    [(cursor,)] = await self._read(connection, "LATEST")
                    self.hub.start(cursor)
                # First the writers, then the feed: see queries.WRITERS.
                [(writers,)] = await self._read(connection, "WRITERS")
                before = self.hub.tail
                await self._drain(connection)
            self._say(up=True)
            await self._serve(connection)
            # While somebody writes events, his commit may ring no bell of its own (coalesced):
            # soon again then, and less often the longer nothing comes of it.
            if not writers or self.hub.tail != before:
                pause = self._breath
            await self._wait(connection, pause if writers else self._poll)
            pause = min(pause * 2, self._poll)
            # Transitions come in bursts; one read takes in what a moment brings.
            await asyncio.sleep(self._breath)

    async def _wait(self, connection: psycopg.AsyncConnection[Row], seconds: float) -> None:
        """Until the database says something, somebody asks, or the time is up."""
        loop = asyncio.get_running_loop()
        fd = connection.fileno()
        loop.add_reader(fd, self._wake.set)
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            pass
        finally:
            loop.remove_reader(fd)
        connection.pgconn.consume_input()
        while connection.pgconn.notifies():
            pass

    async def _read(
        self, connection: psycopg.AsyncConnection[Row], name: str, arguments: Any = None
    ) -> list[Row]:
        self.statements += 1
        return await (await connection.execute(self._sql[name], arguments)).fetchall()

    def _say(self, *, up: bool) -> None:
        if up is self._up:
            return
        self._up = up
        self._since = datetime.now(UTC)
        log.info("database %s", "up" if up else "away")
        self.beat()

    def beat(self) -> None:
        """A sign of life for the pages, which cannot see comments; without an id."""
        self.hub.set_status(self.status())

    def status(self) -> dict[str, Any]:
        return {
            "epoch": self.hub.epoch,
            "database": {"state": "up" if self._up else "away", "since": self._since.isoformat()},
        }

    # The feed -----------------------------------------------------------------------------------

    async def _drain(self, connection: psycopg.AsyncConnection[Row]) -> None:
        """Reads the feed to its end and publishes it.

        A full page ends inside a pair of snapshots, and the short one after it ends where that
        pair does: only a short page after a short one ends at the present.
        """
        while True:
            rows = await self._events(connection, self.hub.cursor)
            if rows:
                await self._publish(connection, rows)
            inside, self._inside = self._inside, len(rows) == PAGE
            if not rows or not (inside or self._inside):
                return

    async def _publish(self, connection: psycopg.AsyncConnection[Row], rows: list[Row]) -> None:
        cards = await self._cards(connection, rows)
        for row in rows:
            cursor = row[0]
            if row[4] == "resync":
                log.warning("resync: the feed starts over")
                self.hub.resync(cursor)
                self._kept.clear()
            else:
                self.hub.publish(cursor, _frame(row, cards, self.hub.tail + 1))
                self._note(row)

    def _note(self, row: Row) -> None:
        """For pages that come later: the last few events, and how many in each 5 seconds."""
        _, seq, _, kind, what, actor, _, _, created_at = row
        self._recent.appendleft(
            {"seq": seq, "kind": kind, "type": what, "actor": actor, "created_at": created_at}
        )
        slot = int(created_at.timestamp() // 5)
        self._beats[slot] = self._beats.get(slot, 0) + 1
        while len(self._beats) > 64:
            del self._beats[min(self._beats)]

    async def _cards(
        self, connection: psycopg.AsyncConnection[Row], rows: list[Row]
    ) -> dict[str, str]:
        """The tasks of these events as they are now, so that no page has to guess."""
        ids = sorted({row[2] for row in rows if row[2] is not None})
        if not ids:
            return {}
        try:
            return dict(await self._cards_of(connection, ids))
        except UNREADABLE:
            await self._find_odd(connection, ids)
            return dict(await self._cards_of(connection, ids))

    async def _cards_of(
        self, connection: psycopg.AsyncConnection[Row], ids: list[str]
    ) -> list[Row]:
        async with self._apart(connection):
            return await self._read(connection, "CARDS", {"ids": ids, **self._careful()})

    # Values that cannot be printed --------------------------------------------------------------

    def _careful(self, *, bare: bool = False) -> dict[str, Any]:
        """Arguments of the queries that print tasks: whose large values they leave out."""
        return {"bare": bare, "odd": list(self._odd)}

    def _apart(
        self, connection: psycopg.AsyncConnection[Row]
    ) -> contextlib.AbstractAsyncContextManager[Any]:
        """A savepoint or a transaction: what fails in it leaves the connection as it was."""
        self.statements += 2
        return connection.transaction()

    async def _find_odd(self, connection: psycopg.AsyncConnection[Row], ids: list[str]) -> None:
        """One of these tasks cannot be read: finds out which, one by one, and remembers it."""
        for task_id in ids:
            if task_id in self._odd:
                continue
            try:
                with self._answer(connection):
                    await self._cards_of(connection, [task_id])
            except UNREADABLE as problem:
                log.warning("task %s cannot be shown: %s", task_id, str(problem).strip())
                self._odd[task_id] = None
                while len(self._odd) > 1000:
                    del self._odd[next(iter(self._odd))]

    async def _events(
        self, connection: psycopg.AsyncConnection[Row], since: str | None
    ) -> list[Row]:
        """A page of the feed. When a payload in it cannot be printed, each is asked for alone."""
        page = {"since": since, "limit": PAGE, "bare": False}
        try:
            async with self._apart(connection):
                return await self._read(connection, "EVENTS", page)
        except UNREADABLE:
            with self._answer(connection):
                rows = await self._read(connection, "EVENTS", {**page, "bare": True})
        whole = []
        for row in rows:
            payload = TOO_MUCH if row[2] else None
            with contextlib.suppress(*UNREADABLE), self._answer(connection):
                async with self._apart(connection):
                    alone = {"seq": row[1], "id": row[2], "bare": False}
                    found = await self._read(connection, "PAYLOAD", alone)
                payload = found[0][0] if found else None
            whole.append((*row[:7], payload, row[8]))
        return whole

    async def _serve(self, connection: psycopg.AsyncConnection[Row]) -> None:
        """Everything that was asked for, in one snapshot with the feed."""
        # A few of each at a time: the feed goes on in between, whatever is asked for.
        states = _some(self._states)
        tasks = _some(self._tasks)
        catch_ups = _some(self._catch_ups)
        for kind in states:
            del self._states[kind]
        for task_id in tasks:
            del self._tasks[task_id]
        # Catch-ups stay until they are answered: whoever waits, waits for the next connection too.
        if self._states or self._tasks or len(self._catch_ups) > len(catch_ups):
            self._wake.set()
        counting = self.hub.viewers > 0 and time.monotonic() >= self._next_counts
        if not (states or tasks or catch_ups or counting):
            return
        try:
            # Every turn has its own deadline, all of them one snapshot.
            async with self._snapshot(connection):
                with self._answer(connection):
                    await self._drain(connection)
                for cursor, waiting in catch_ups.items():
                    with self._answer(connection):
                        answer = await self._catch_up(connection, cursor)
                    del self._catch_ups[cursor]
                    _give(waiting, answer)
                # A state brings its own numbers, unless they are dear and not yet due.
                if counting or (states and self._next_counts < time.monotonic() + 1.5):
                    with self._answer(connection):
                        await self._count(connection)
                for kind, wanted in states.items():
                    with self._answer(connection):
                        _give(wanted, await self._state(connection, kind or None))
                for task_id, asked in tasks.items():
                    with self._answer(connection):
                        _give(asked, await self._task(connection, task_id))
        except psycopg.errors.QueryCanceled:
            # The board is too large for the moment; the feed goes on, and so does the next try.
            log.warning("a read of the state took too long")
            self._next_counts = time.monotonic() + 30
        finally:
            for group in (states, tasks):
                for future in group.values():
                    if not future.done():
                        future.set_exception(Away())

    @contextlib.asynccontextmanager
    async def _snapshot(self, connection: psycopg.AsyncConnection[Row]) -> AsyncIterator[None]:
        self.statements += 2
        async with connection.transaction():
            yield

    async def _catch_up(self, connection: psycopg.AsyncConnection[Row], cursor: str) -> CatchUp:
        known = self.hub.find(cursor)
        if known is not None:
            return CatchUp(b"", cursor, known)
        frames: list[bytes] = []
        while True:
            try:
                rows = await self._events(connection, cursor)
            except psycopg.DataError:
                # Not a cursor at all: to this viewer it is as good as one that has been pruned.
                return self._start_over()
            if any(row[4] == "resync" for row in rows):
                return self._start_over()
            if not rows:
                # Read to the end of the very snapshot at which the ring ends too.
                self.hub.alias(cursor, self.hub.tail)
                return CatchUp(b"".join(frames), cursor, self.hub.tail)
            cards = await self._cards(connection, rows)
            frames += [_frame(row, cards, self.hub.tail) for row in rows]
            cursor = rows[-1][0]
            if len(rows) == PAGE:
                return CatchUp(b"".join(frames), cursor, None)

    def _start_over(self) -> CatchUp:
        cursor = self.hub.cursor
        assert cursor is not None
        self.hub.alias(cursor, self.hub.tail)
        return CatchUp(resync_frame(self.hub.tail, cursor), cursor, self.hub.tail)

    # The state ----------------------------------------------------------------------------------

    async def _count(self, connection: psycopg.AsyncConnection[Row]) -> None:
        began = time.monotonic()
        counts: dict[str, dict[str, dict[str, Any]]] = {}
        now = None
        for kind, column, n, oldest in await self._read(connection, "COUNTS"):
            if kind is None:
                now = oldest
                continue
            cell = counts.setdefault(kind, {}).setdefault(column, {"n": 0, "oldest": oldest})
            cell["n"] += n
            cell["oldest"] = min(cell["oldest"], oldest)
        leases = await self._leases(connection)
        self._budgets = await self._read(connection, "BUDGETS")
        self._next_counts = _again(began)
        numbers = {"counts": counts, "budgets": self._budgets, "leases": leases}
        self._counts = counts
        if numbers != self._numbers or self._counts_at != self.hub.tail:
            self._numbers = numbers
            self._counts_at = self.hub.tail
            head = dumps({"counts": counts, "budgets": self._budgets, "now": now})
            held = ",".join(
                f"{dumps(task_id)}:"
                f"[{dumps(until)},{dumps(beat)},{progress or 'null'},{dumps(kind)}]"
                for task_id, kind, until, beat, progress in leases
            )
            self.hub.set_counts(f'{head[:-1]},"leases":{{{held}}}}}')

    async def _leases(self, connection: psycopg.AsyncConnection[Row]) -> list[Row]:
        """Who holds what, with the progress as JSON text."""
        asked = {"limit": 4 * CARDS}
        try:
            async with self._apart(connection):
                return await self._read(connection, "LEASES", {**asked, **self._careful()})
        except UNREADABLE:
            bare = {**asked, **self._careful(bare=True)}
            with self._answer(connection):
                rows = await self._read(connection, "LEASES", bare)
            await self._find_odd(connection, [row[0] for row in rows])
            with self._answer(connection):
                return await self._read(connection, "LEASES", {**asked, **self._careful()})

    async def _state(self, connection: psycopg.AsyncConnection[Row], kind: str | None) -> State:
        began = time.monotonic()
        kinds = list(self._counts) if kind is None else [kind]
        asked = {"kinds": kinds, "all": kind is None, "limit": CARDS}
        try:
            async with self._apart(connection):
                [(columns, read_at)] = await self._read(
                    connection, "STATE", {**asked, **self._careful()}
                )
        except UNREADABLE:
            bare = {**asked, **self._careful(bare=True)}
            with self._answer(connection):
                [(columns, read_at)] = await self._read(connection, "STATE", bare)
            # Nothing large is in it, so it can be read here.
            shown = [card["id"] for cards in json.loads(columns).values() for card in cards]
            await self._find_odd(connection, shown)
            with self._answer(connection):
                [(columns, read_at)] = await self._read(
                    connection, "STATE", {**asked, **self._careful()}
                )
        head = json.dumps(
            {
                "epoch": self.hub.epoch,
                "n": self.hub.tail,
                "cursor": self.hub.cursor,
                "now": read_at.isoformat(),
                "counts": self._counts,
                "budgets": self._budgets,
                "recent": list(self._recent),
                "beats": self._beats,
                **self.status(),
            },
            default=plain,
        )
        body = f'{head[:-1]},"columns":{columns}}}'.encode()
        state = State(body, self.hub.tail, _again(began))
        if len(self._kept) >= 32:
            self._kept.pop(next(iter(self._kept)))
        self._kept[kind or ""] = state
        return state

    async def _task(self, connection: psycopg.AsyncConnection[Row], task_id: str) -> Task | None:
        try:
            async with self._apart(connection):
                found = await self._read(connection, "TASK", {"id": task_id, **self._careful()})
        except UNREADABLE:
            self._odd[task_id] = None
            with self._answer(connection):
                found = await self._read(connection, "TASK", {"id": task_id, **self._careful()})
        try:
            async with self._apart(connection):
                rows = await self._read(connection, "TIMELINE", {"id": task_id, "bare": False})
        except UNREADABLE:
            with self._answer(connection):
                rows = await self._read(connection, "BARE_TIMELINE", {"id": task_id})
        if not found and not rows:
            return None
        timeline = []
        for kind, what, actor, attempt, payload, created_at, text in reversed(rows):
            told = {"kind": kind, "type": what, "actor": actor, "attempt": attempt}
            head = dumps({**told, "created_at": created_at, "text": text})
            timeline.append(f'{head[:-1]},"payload":{payload or "null"}}}')
        task = found[0][0] if found else "null"
        return Task(f'{{"task":{task},"timeline":[{",".join(timeline)}]}}'.encode())


def _again(began: float) -> float:
    """When to read again what took since then: a twentieth of the time at most goes into it."""
    now = time.monotonic()
    return now + max(1.0, 20 * (now - began))


def _some(asked: dict[str, T]) -> dict[str, T]:
    return dict(list(asked.items())[:8])


def _give(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _frame(row: Row, cards: Mapping[str, str], n: int) -> bytes:
    """One event for the viewers. The JSON inside is PostgreSQL's own text, never parsed here."""
    cursor, seq, task_id, kind, what, actor, attempt, payload, created_at = row
    head = json.dumps(
        {
            "n": n,
            "seq": seq,
            "task_id": task_id,
            "kind": kind,
            "type": what,
            "actor": actor,
            "attempt": attempt,
            "created_at": created_at.isoformat(),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return (
        f'id: {cursor}\ndata: {head[:-1]},"payload":{payload or "null"},'
        f'"task":{cards.get(task_id, "null")}}}\n\n'
    ).encode()
