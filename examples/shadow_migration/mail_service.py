"""A mail service for the example: an HTTP server on this machine that keeps what it is sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class MailService:
    """What came in: mails, each with the Idempotency-Key that it had or not."""

    def __init__(self) -> None:
        self.url = ""
        self.mails: list[tuple[dict[str, str], str | None]] = []

    def sent_by(self, client: str) -> int:
        return sum(1 for mail, _ in self.mails if mail["client"] == client)


@contextmanager
def running() -> Iterator[MailService]:
    service = MailService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.mails.append((json.loads(body), self.headers.get("Idempotency-Key")))
            answer = json.dumps({"mail": len(service.mails)}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing: the story is told elsewhere."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_address[1]}/mails"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
