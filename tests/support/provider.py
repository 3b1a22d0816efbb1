"""A provider on a port of this machine, with books: what came in, and what took effect."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


@dataclass(frozen=True)
class Request:
    """One request as it came in, byte for byte."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def key(self) -> str:
        return self.headers.get("idempotency-key", "")


@dataclass
class Provider:
    """Charges once per request, or once per `Idempotency-Key` if it honours them.

    With a secret, a request that the Standard Webhooks library does not verify is answered 401.
    While `silent` is set, requests take effect and are never answered. While there is something in
    `raw`, those bytes are the answer, and the line is cut after them.
    """

    honours_idempotency: bool = True
    secret: str | None = None
    status: int = 200
    requests: list[Request] = field(default_factory=list)
    effects: list[Any] = field(default_factory=list)
    url: str = ""
    raw: deque[bytes] = field(default_factory=deque)
    silent: threading.Event = field(default_factory=threading.Event)
    _answers: dict[str, Any] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def wait_for_requests(self, number: int, seconds: float = 20.0) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.requests) >= number, seconds), (
                f"{len(self.requests)} requests instead of {number}"
            )

    def note(self, request: Request) -> None:
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()

    def answer(self, request: Request) -> tuple[int, Any]:
        """Book the request and say what to answer."""
        with self._changed:
            self.requests.append(request)
            try:
                if self.secret is not None:
                    Webhook(self.secret).verify(request.body, request.headers, json_parse=False)
            except WebhookVerificationError as error:
                return 401, {"error": str(error)}
            finally:
                self._changed.notify_all()
            if self.status != 200:
                return self.status, {"error": "not today"}
            if self.honours_idempotency and request.key in self._answers:
                return 200, self._answers[request.key]
            self.effects.append(_parsed(request.body) if request.body else None)
            answer = {"charge": f"ch_{len(self.effects)}"}
            self._answers[request.key] = answer
            return 200, answer


def _parsed(body: bytes) -> Any:
    """JSON; a number that is longer than Python likes stays text."""
    return json.loads(body, parse_int=lambda n: int(n) if len(n) < 20 else n)


@contextmanager
def running(provider: Provider) -> Iterator[Provider]:
    """The provider behind a real HTTP server; `provider.url` tells where."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.path, headers, self.rfile.read(length))
            if provider.raw:
                provider.note(request)
                with suppress(OSError):
                    self.wfile.write(provider.raw.popleft())
                self.close_connection = True
                return
            status, answer = provider.answer(request)
            if provider.silent.is_set():
                self.rfile.read(1)  # until the client hangs up
                return
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_address[1]}/charges"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
