"""The web side: the page, the stream, and one door for acting."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import uuid
from collections.abc import AsyncIterator
from importlib import resources
from typing import Any

from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .feed import Away, Feed
from .gateway import Gateway, Refused
from .hub import Hub

log = logging.getLogger("board_live")

BEAT = 15.0
PATIENCE = 20.0
MAX_BODY = 1024 * 1024
MAX_HEADERS = 16 * 1024
MAX_FIELDS = 100
MAX_TARGET = 8 * 1024

# The page may load nothing but what this relay serves: no inline script, no inline style, and no
# string can become markup (trusted types).
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
PAGE = {
    "index.html": "text/html; charset=utf-8",
    "board.css": "text/css; charset=utf-8",
    "board.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


class Guard:
    """Headers on every answer, and no answer to a host name that is not ours.

    A page elsewhere can point its own name at this address (DNS rebinding) and would then read the
    board as "the same origin"; the Host header gives it away.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if (refusal := _too_large(scope, headers)) is not None:
            await refusal(scope, receive, send)
            return
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if self._hosts is not None and name.lower() not in self._hosts:
            await PlainTextResponse("unknown host\n", 421)(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)


def _too_large(scope: Scope, headers: Headers) -> Response | None:
    """What is refused by its size alone, before anybody looks at what it says."""
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_TARGET:
        return PlainTextResponse("the address is too long\n", 414)
    size = sum(len(name) + len(value) for name, value in headers.raw)
    if size > MAX_HEADERS or len(headers.raw) > MAX_FIELDS:
        return PlainTextResponse("the headers are too large\n", 431)
    length = headers.get("content-length", "")
    if len(length) > 15 or (length.isdigit() and int(length) > MAX_BODY):
        return PlainTextResponse("the body is too large\n", 413)
    return None


class Stream(EventSourceResponse):
    """The stream to one viewer, who may be too slow for it."""

    def __init__(self, hub: Hub, content: AsyncIterator[bytes], **more: Any) -> None:
        super().__init__(content, **more)
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except SendTimeoutError:
            self._hub.dropped += 1
            log.warning("a viewer took nothing for %g s and was dropped", self.send_timeout)


def make_app(
    hub: Hub,
    feed: Feed,
    gateway: Gateway,
    *,
    hosts: frozenset[str] | None = None,
    beat: float = BEAT,
    patience: float = PATIENCE,
) -> Starlette:
    """The application. It runs the feed for as long as it lives."""
    files = {
        name: (resources.files(__package__).joinpath("page", name).read_bytes(), kind)
        for name, kind in PAGE.items()
    }

    def serve(name: str) -> Response:
        body, kind = files[name]
        return Response(
            body, headers={"Content-Type": kind, "Cache-Control": "no-cache", "Vary": "Accept"}
        )

    async def index(request: Request) -> Response:
        return serve("index.html")

    async def page(request: Request) -> Response:
        name = request.path_params["name"]
        return serve(name) if name in files else PlainTextResponse("not found\n", 404)

    async def state(request: Request) -> Response:
        kind = request.query_params.get("kind") or None
        if kind is not None and (len(kind) > 200 or "\0" in kind):
            raise Refused(422, "invalid_parameter_value", "kind is not the name of a kind")
        found = await feed.state(kind)
        return _json(found.body)

    async def task(request: Request) -> Response:
        # The same address for people and programs: a browser gets the page, which opens the task.
        if "text/html" in request.headers.get("accept", ""):
            return serve("index.html")
        try:
            task_id = str(uuid.UUID(request.path_params["id"]))
        except ValueError:
            raise Refused(404, "task_not_found", "that is not the id of a task") from None
        found = await feed.task(task_id)
        if found is None:
            raise Refused(404, "task_not_found", "the board has no such task, nor its history")
        return _json(found.body)

    async def events(request: Request) -> Response:
        since = request.headers.get("last-event-id") or request.query_params.get("since")
        return Stream(
            hub,
            stream(since),
            ping=beat,
            ping_message_factory=lambda: ServerSentEvent(comment="", sep="\n"),
            send_timeout=patience,
            headers={"Cache-Control": "no-store"},
        )

    async def stream(since: str | None) -> AsyncIterator[bytes]:
        hub.viewers += 1
        try:
            # Not all at once, when a relay has come back to many pages.
            told = hub.status
            yield f"retry: {random.randint(500, 1500)}\n\n".encode() + told
            if since is None:
                position, cursor = hub.tail, hub.cursor
                if cursor is not None:
                    # An id without data: the browser notes it and tells the page nothing.
                    yield f"id: {cursor}\n\n".encode()
            else:
                found = hub.find(since)
                while found is None:
                    asking = asyncio.ensure_future(feed.catch_up(since))
                    try:
                        # The database may be away: then the viewer is told that, and waits on.
                        while not (await asyncio.wait({asking}, timeout=1.0))[0]:
                            if told is not hub.status:
                                told = hub.status
                                yield told
                    finally:
                        asking.cancel()
                    missed = asking.result()
                    if missed.frames:
                        yield missed.frames
                    since, found = missed.cursor, missed.position
                position = found
            viewer = hub.viewer(position, told)
            while (frames := await viewer.frames()) is not None:
                yield frames
            hub.dropped += 1
            log.warning("a viewer fell behind the ring and was dropped")
        finally:
            hub.viewers -= 1

    async def api(request: Request) -> Response:
        arguments = await _arguments(request)  # the limit first, whoever asks
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise Refused(
                401,
                "invalid_authorization_specification",
                "a bearer token is needed",
                hint="Authorization: Bearer with a token of board.issue_token().",
            )
        result = await gateway.request(token, request.path_params["action"], arguments)
        return _json(f'{{"result":{result}}}'.encode())

    async def health(request: Request) -> Response:
        told = {
            **feed.status(),
            "viewers": hub.viewers,
            "events": hub.tail,
            "dropped": hub.dropped,
            "statements": feed.statements,
        }
        up = told["database"]["state"] == "up"
        return JSONResponse(told, 200 if up else 503, headers={"Cache-Control": "no-store"})

    async def refused(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, Refused)
        headers = {"Cache-Control": "no-store"}
        if problem.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if problem.status == 503:
            headers["Retry-After"] = "1"
        return JSONResponse(problem.body, problem.status, headers=headers)

    async def away(request: Request, problem: Exception) -> Response:
        return await refused(request, Refused(503, "away", "the database does not answer"))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async def beats() -> None:
            while True:
                await asyncio.sleep(beat)
                feed.beat()

        tasks = [asyncio.create_task(feed.run()), asyncio.create_task(beats())]
        try:
            yield
        finally:
            for running in tasks:
                running.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await gateway.close()

    app = Starlette(
        routes=[
            Route("/", index),
            Route("/page/{name}", page),
            Route("/state", state),
            Route("/tasks/{id}", task),
            Route("/events", events),
            Route("/api/{action}", api, methods=["POST"]),
            Route("/healthz", health),
        ],
        exception_handlers={Refused: refused, Away: away},
        lifespan=lifespan,
    )
    app.add_middleware(Guard, hosts=hosts)
    return app


def _json(body: bytes) -> Response:
    return Response(
        body,
        media_type="application/json",
        headers={"Cache-Control": "no-store", "Vary": "Accept"},
    )


async def _arguments(request: Request) -> str:
    """The body as JSON text. PostgreSQL reads it; here only its kind is looked at."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise Refused(413, "too_large", "the arguments are longer than 1 MiB")
    try:
        text = body.decode().strip()
    except UnicodeDecodeError:
        raise Refused(400, "not_json", "the body is not UTF-8") from None
    if text and not text.startswith("{"):
        raise Refused(400, "not_json", "the body is not a JSON object of arguments by name")
    return text or "{}"
