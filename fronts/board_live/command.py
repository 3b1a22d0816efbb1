"""The command line of the live board."""

from __future__ import annotations

import argparse
import logging
import socket
import sys

import psycopg
import uvicorn

from installer.errors import InstallerError
from installer.lifecycle import install
from installer.target import connect, open_target

from .app import make_app
from .feed import Feed
from .gateway import Gateway
from .hub import Hub

log = logging.getLogger("board_live")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="board-live",
        description="Serves the live board: one database connection, any number of browsers.",
    )
    parser.add_argument(
        "--dsn", help="the board's database; default: libpq's environment, else the embedded server"
    )
    parser.add_argument(
        "--gateway-dsn", metavar="DSN", help="for POST /api; default: the same as for reading"
    )
    parser.add_argument("--schema", default="board", metavar="NAME", help="default: board")
    parser.add_argument(
        "--viewer-role",
        metavar="ROLE",
        help="role to read as (SET ROLE); '' keeps the login's own; default: SCHEMA_viewer",
    )
    parser.add_argument(
        "--gateway-role",
        metavar="ROLE",
        help="role to act as (SET ROLE); '' keeps the login's own; default: SCHEMA_gateway",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=8080, help="0 takes a free one")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a further host name under which browsers reach the relay; '*' for any",
    )
    parser.add_argument(
        "--ring", type=int, default=10_000, metavar="N", help="events kept for reconnections"
    )
    parser.add_argument(
        "--beat",
        type=float,
        default=15.0,
        metavar="SECONDS",
        help="between keep-alives, 30 at most",
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=20.0,
        metavar="SECONDS",
        help="how long a browser may take nothing before it is dropped",
    )
    return parser.parse_args()


def _listener(host: str, port: int, patience: float) -> socket.socket:
    """The listening socket. What is set here holds for every connection accepted from it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=512)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # A browser that is gone, or that never reads, does not hold its socket for ever.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int((patience + 5) * 1000))
    return listener


def _serve(told: argparse.Namespace, dsn: str) -> None:
    hub = Hub(max_events=told.ring)
    viewer = told.viewer_role if told.viewer_role is not None else f"{told.schema}_viewer"
    gateway = told.gateway_role if told.gateway_role is not None else f"{told.schema}_gateway"
    names = {"localhost", "127.0.0.1", "[::1]", told.host, *told.allow_host}
    app = make_app(
        hub,
        Feed(hub, dsn, schema=told.schema, role=viewer or None),
        Gateway(told.gateway_dsn or dsn, schema=told.schema, role=gateway or None),
        beat=told.beat,
        patience=told.patience,
        hosts=None if "*" in names else frozenset(name.lower() for name in names),
    )
    with _listener(told.host, told.port, told.patience) as listener:
        host, port = listener.getsockname()[:2]
        where = f"[{host}]" if ":" in host else host
        print(f"the live board is at http://{where}:{port}/", flush=True)
        server = uvicorn.Server(
            uvicorn.Config(
                app, log_level="warning", timeout_graceful_shutdown=3, ws="none", http="h11"
            )
        )
        server.run(sockets=[listener])


def main() -> int:
    told = _arguments()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    try:
        with open_target(told.dsn) as target:
            print(f"reading {target.source}", flush=True)
            if target.embedded is not None:
                with connect(target, "board_live") as connection:
                    install(connection, told.schema)
                print("something to watch: make demo, in another terminal", flush=True)
            _serve(told, target.dsn)
    except InstallerError as problem:
        print(f"live board: {problem}", problem.hint or "", file=sys.stderr, sep="\n")
        return int(problem.code)
    except (OSError, psycopg.Error) as problem:
        print(f"live board: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0
