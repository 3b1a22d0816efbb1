"""The one door for acting: board.request(), over connections that may do nothing else."""

from __future__ import annotations

import asyncio
import logging

import psycopg
from psycopg import sql

from . import queries
from .feed import Away
from .wire import Row, answer_within, conninfo

log = logging.getLogger("board_live")

# What the board's refusals are in HTTP, as board._error_codes() has it (tests/test_docs.py holds
# one against the other). Everything not named here is 500 and is not shown.
NAMES = {
    "TB001": ("lease_lost", 409),
    "TB002": ("task_not_found", 404),
    "TB003": ("wrong_state", 409),
    "TB004": ("result_conflict", 409),
    "TB005": ("request_mismatch", 409),
    "TB006": ("cost_exceeds_limit", 422),
    "TB007": ("promotion_refused", 409),
    "TB008": ("fence_stale", 409),
    "22023": ("invalid_parameter_value", 422),
    "28000": ("invalid_authorization_specification", 401),
    "42501": ("insufficient_privilege", 403),
    "0A000": ("feature_not_supported", 501),
    "25006": ("read_only_sql_transaction", 503),
    "55P03": ("lock_not_available", 503),
    "57014": ("query_canceled", 503),
    "40001": ("serialization_failure", 503),
    "40P01": ("deadlock_detected", 503),
}


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """An error for the caller, as HTTP status and JSON."""

    def __init__(self, status: int, name: str, message: str, **more: str | None) -> None:
        super().__init__(message)
        self.status = status
        self.body = {
            "error": {
                "name": name,
                "message": message,
                **{key: text for key, text in more.items() if text},
            }
        }


def _refusal(problem: psycopg.Error) -> Refused:
    code = problem.sqlstate or ""
    if code in NAMES:
        name, status = NAMES[code]
        told = problem.diag
        return Refused(
            status,
            name,
            told.message_primary or str(problem),
            code=code,
            detail=told.message_detail,
            hint=told.message_hint,
        )
    if code == "22P02":  # what the verbs themselves refuse is 22023
        return Refused(400, "not_json", "the body is not JSON", code=code)
    if code.startswith("54"):
        return Refused(
            422, NAMES["22023"][0], "the arguments are nested too deep, or print as too much"
        )
    if code.startswith("22") or isinstance(problem, psycopg.DataError):
        return Refused(
            422, NAMES["22023"][0], "the arguments are not what the verb takes", code=code or None
        )
    log.error("request failed: %s %s", code, problem.diag.message_primary)
    return Refused(500, "internal", "the board could not carry this out", code=code or None)


class Gateway:
    """A few connections in the gateway's role, opened when needed and kept while they are good."""

    def __init__(
        self,
        dsn: str,
        *,
        schema: str = "board",
        role: str | None = None,
        size: int = 4,
        answer_within: float = 15.0,
    ) -> None:
        self._dsn = dsn
        self._role = role
        self._sql = queries.compose(queries.REQUEST, schema)
        self._within = answer_within
        self._free: list[psycopg.AsyncConnection[Row]] = []
        self._places = asyncio.Semaphore(size)

    async def request(self, token: str, action: str, arguments: str) -> str:
        """Runs one verb as the token's agent. Never tried twice: the first may have happened.

        Arguments and answer are JSON text, which PostgreSQL reads and writes: no number and no
        depth that it knows is too much for us.
        """
        async with self._places:
            try:
                connection = await self._connection()
            except (psycopg.OperationalError, OSError) as problem:
                log.warning("gateway: %s", str(problem).strip())
                raise Away from None
            try:
                # The server gives up before that, and says so; this is for a dead line.
                with answer_within(self._within, connection):
                    cursor = await connection.execute(self._sql, (token, action, arguments))
                    row = await cursor.fetchone()
            except psycopg.DataError as problem:
                # Also what never left for the server: a NUL in a name, for one.
                self._free.append(connection)
                raise _refusal(problem) from None
            except psycopg.Error as problem:
                if connection.broken or problem.sqlstate is None:
                    await connection.close()
                    raise Refused(
                        503,
                        "outcome_unknown",
                        "the connection broke before the answer came",
                        hint="Look at the task before you try again.",
                    ) from None
                self._free.append(connection)
                raise _refusal(problem) from None
            except BaseException:
                await connection.close()
                raise
            self._free.append(connection)
            assert row is not None
            return str(row[0] or "null")

    async def close(self) -> None:
        while self._free:
            await self._free.pop().close()

    async def _connection(self) -> psycopg.AsyncConnection[Row]:
        while self._free:
            connection = self._free.pop()
            # A server that has gone away since has left its farewell in the socket.
            try:
                connection.pgconn.consume_input()
            except psycopg.OperationalError:
                await connection.close()
                continue
            if not connection.broken:
                return connection
        connection = await psycopg.AsyncConnection.connect(
            conninfo(self._dsn, "board_live gateway"), autocommit=True
        )
        try:
            with answer_within(self._within, connection):
                if self._role:
                    await connection.execute(
                        sql.SQL("SET ROLE {}").format(sql.Identifier(self._role))
                    )
                await connection.execute("SET statement_timeout = '10s'")
        except BaseException:
            await connection.close()
            raise
        return connection
