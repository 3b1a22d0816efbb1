"""The live board's relay as a process, viewers that count what they see, and a wire to cut."""

from __future__ import annotations

import asyncio
import json
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx
from psycopg.conninfo import conninfo_to_dict, make_conninfo

ROOT = Path(__file__).resolve().parents[2]
WAIT_SECONDS = 30.0


def wait_until(fact: Callable[[], object], what: str, seconds: float = WAIT_SECONDS) -> None:
    """Ask until it is true; for facts that no database can be asked for."""
    deadline = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s: {what}")
        time.sleep(0.02)


class Relay:
    """`python -m board_live`, on a port that survives its restarts."""

    def __init__(
        self, dsn: str, *options: str, environment: dict[str, str | None] | None = None
    ) -> None:
        self.dsn = dsn
        self.options = options
        self.port = 0
        self.said: list[str] = []
        here = {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT / "fronts")}
        told = {**os.environ, **here, **(environment or {})}
        self._environment = {name: value for name, value in told.items() if value is not None}
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self, seconds: float = WAIT_SECONDS) -> Self:
        where = ["--dsn", self.dsn] if self.dsn else []
        process = self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "board_live", *where),
                *("--port", str(self.port), *self.options),
            ],
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._listen, args=(process,), daemon=True)
        self._reader.start()
        try:
            wait_until(lambda: self.address or process.poll() is not None, "it listens", seconds)
            self.port = int(self.address or 0)
            wait_until(self._reads, "it reads", seconds)
        except BaseException:
            said = "\n".join(self.said)
            self.stop(signal.SIGKILL)
            raise AssertionError(f"the relay does not start:\n{said}") from None
        return self

    @property
    def address(self) -> str | None:
        for line in reversed(self.said):
            if found := re.search(r"live board is at http://\S+:(\d+)/", line):
                return found[1]
        return None

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.said.append(line.rstrip())

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(15)
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait(15)
            if self._reader is not None:
                self._reader.join(15)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None
        self.said.clear()

    def restart(self, how: signal.Signals = signal.SIGKILL) -> None:
        self.stop(how)
        self.start()

    def _reads(self) -> bool:
        return bool(self.health().get("database", {}).get("state") == "up")

    def health(self) -> dict[str, Any]:
        with suppress(httpx.HTTPError):
            return dict(self.get("/healthz")[2])
        return {}

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], Any]:
        return self.ask("GET", path, None, **headers)

    def ask(
        self, method: str, path: str, body: object | None, **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        """Status, headers in lower case, and the body: as JSON when it is."""
        answer = httpx.request(
            method,
            self.url + path,
            json=body,
            headers=[(name.encode(), value.encode()) for name, value in headers.items()],
            timeout=20,
        )
        told = {name.lower(): value for name, value in answer.headers.items()}
        json_too = told.get("content-type", "").startswith("application/json")
        return answer.status_code, told, answer.json() if json_too else answer.text


@dataclass
class Block:
    """One block of the stream, as it came."""

    id: str | None = None
    event: str = "message"
    data: str = ""
    comments: list[str] = field(default_factory=list)

    @property
    def json(self) -> Any:
        return json.loads(self.data)


@dataclass
class Viewer:
    """What EventSource does: reads, remembers the last id, and comes back with it."""

    port: int
    since: str | None = None
    last_id: str = ""
    connections: int = 0
    blocks: list[Block] = field(default_factory=list)
    keep: Callable[[Block], bool] = lambda _: True
    retry: float = 0.05

    @property
    def transitions(self) -> list[dict[str, Any]]:
        return [block.json for block in self.blocks if block.event == "message" and block.data]

    @property
    def resyncs(self) -> int:
        return sum(block.event == "resync" for block in self.blocks)

    async def watch(self) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._connection()
            await asyncio.sleep(self.retry)

    async def _connection(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            query = f"?since={self.since}" if self.since else ""
            ask = f"GET /events{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
            if self.last_id:
                ask += f"Last-Event-ID: {self.last_id}\r\n"
            writer.write((ask + "\r\n").encode())
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            self.connections += 1
            block = Block()
            rest = b""
            while True:
                size = int((await reader.readline()).strip() or b"0", 16)
                if size == 0:
                    return
                rest += await reader.readexactly(size)
                await reader.readexactly(2)
                *lines, rest = rest.split(b"\n")
                for line in lines:
                    if line:
                        _take(block, line.decode())
                    else:
                        self._dispatch(block)
                        block = Block()
        finally:
            writer.close()

    def _dispatch(self, block: Block) -> None:
        if block.id is not None:
            self.last_id = block.id
        if self.keep(block):
            self.blocks.append(block)


def _take(block: Block, line: str) -> None:
    name, _, value = line.rstrip("\r").partition(":")
    value = value.removeprefix(" ")
    if name == "":
        block.comments.append(value)
    elif name == "id":
        block.id = value
    elif name == "event":
        block.event = value
    elif name == "data":
        block.data += value


class Audience:
    """Any number of viewers on one thread."""

    def __init__(self) -> None:
        self.viewers: list[Viewer] = []
        self._loop = asyncio.new_event_loop()
        self._tasks: list[asyncio.Task[None]] = []
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
        for outcome in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome

    def add(self, viewer: Viewer) -> Viewer:
        async def begin() -> None:
            self._tasks.append(asyncio.create_task(viewer.watch()))

        self.viewers.append(viewer)
        self._run(begin())
        return viewer

    def add_many(self, number: int, port: int) -> list[Viewer]:
        """Viewers that are all connected when this returns."""
        added = [self.add(Viewer(port)) for _ in range(number)]
        wait_until(
            lambda: all(viewer.connections and viewer.last_id for viewer in added),
            f"{number} viewers are connected",
        )
        return added


class Wire:
    """A TCP proxy before the database: counts statements, and can go dead without closing."""

    def __init__(self, dsn: str) -> None:
        parts = conninfo_to_dict(dsn)
        host = str(parts.get("hostaddr") or parts.get("host") or "127.0.0.1")
        port = int(str(parts.get("port") or 5432))
        self._target: str | tuple[str, int] = (
            f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, port)
        )
        self._listener = socket.create_server(("127.0.0.1", 0))
        own = {
            "host": "127.0.0.1",
            "port": str(self._listener.getsockname()[1]),
            "sslmode": "disable",
            "gssencmode": "disable",
        }
        parts.pop("hostaddr", None)
        self.dsn = make_conninfo("", **{**parts, **own})
        self.statements = 0
        self.connections = 0
        self._frozen: set[socket.socket] = set()
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._parsers: dict[socket.socket, bytearray] = {}
        self._started: set[socket.socket] = set()
        self._running = True
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._running = False
        self._thread.join(10)
        for one in [self._listener, *self._pairs]:
            one.close()

    def freeze(self) -> None:
        """From now on nothing passes through the connections that are open; no end is told."""
        self._frozen.update(self._pairs)

    def _work(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        while self._running:
            for key, _ in self._selector.select(0.1):
                source = key.fileobj
                assert isinstance(source, socket.socket)
                if source is self._listener:
                    self._accept()
                elif source in self._frozen:
                    self._selector.unregister(source)
                elif source in self._pairs:  # else its other end has just gone
                    self._pass_on(source)
        self._selector.close()

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        if isinstance(self._target, str):
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        else:
            server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            server.connect(self._target)
        except OSError:
            client.close()
            server.close()
            return
        self.connections += 1
        self._pairs[client] = server
        self._pairs[server] = client
        self._parsers[client] = bytearray()
        for one in (client, server):
            self._selector.register(one, selectors.EVENT_READ)

    def _pass_on(self, source: socket.socket) -> None:
        other = self._pairs[source]
        try:
            data = source.recv(65536)
            if data:
                if source in self._parsers:
                    self._count(source, data)
                other.sendall(data)
                return
        except OSError:
            pass
        for one in (source, other):
            with suppress(KeyError, ValueError):
                self._selector.unregister(one)
            one.close()
            del self._pairs[one]
            self._parsers.pop(one, None)

    def _count(self, client: socket.socket, data: bytes) -> None:
        """Counts simple queries and executions. The first message has no type letter."""
        buffer = self._parsers[client]
        buffer += data
        if client not in self._started:
            if len(buffer) < 4 or len(buffer) < (size := int.from_bytes(buffer[:4])):
                return
            del buffer[:size]
            self._started.add(client)
        while len(buffer) >= 5 and len(buffer) >= (size := 1 + int.from_bytes(buffer[1:5])):
            self.statements += chr(buffer[0]) in "QE"
            del buffer[:size]
