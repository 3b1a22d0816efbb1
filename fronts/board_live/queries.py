"""The relay's SQL: plain SELECTs with a viewer's rights.

`{board}` is the board's schema. Every list is cut to the cards that a screen can show, so that a
board of a million tasks costs what a small one does; only the counts grow with what is open.
"""

from __future__ import annotations

from psycopg import sql

EVENTS = """
SELECT e.cursor, e.seq, e.task_id::text, e.kind, e.type, e.actor, e.attempt, e.payload::text,
       e.created_at
FROM {board}.events_since(%s, %s) AS e
"""

LATEST = "SELECT {board}.latest_cursor()"

# Read BEFORE the feed: a writer that is gone from here has committed, and the read that follows
# sees it. The other way round, one that commits in between would be missed.
WRITERS = """
SELECT EXISTS (
    SELECT FROM pg_catalog.pg_locks AS l
    WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.granted
      AND l.relation = '{board}.task_events'::regclass
      AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d
                        WHERE d.datname = pg_catalog.current_database())
      AND l.pid <> pg_catalog.pg_backend_pid())
"""


def _cut(column: str) -> str:
    """A JSON column, or the beginning of its text when it is too long for a card."""
    return (
        f"CASE WHEN length({column}::text) <= 2000 THEN {column} "
        f"ELSE to_jsonb(left({column}::text, 2000) || '…') END AS {column.partition('.')[2]}"
    )


_CARD = f"""
       t.id, t.kind, t.status, t.priority, {_cut("t.payload")}, t.created_at, t.run_at, t.leased_by,
       t.leased_until, t.heartbeat_at, t.claim_count, t.failure_count, t.lapse_count,
       {_cut("t.progress")}, {_cut("t.result")}, {_cut("t.last_failure")}, t.escalated_at,
       t.escalation_reason, t.finished_at, t.finished_by, t.paused,
       CASE WHEN t.status = 'in_progress' THEN
           (SELECT e.created_at FROM {{board}}.task_events AS e
            WHERE e.task_id = t.id AND e.type = 'claimed' ORDER BY e.seq DESC LIMIT 1)
       END AS claimed_at
"""

CARDS = f"""
SELECT c.id::text, row_to_json(c)::text
FROM (SELECT {_CARD} FROM {{board}}.tasks AS t WHERE t.id = ANY(%s::uuid[])) AS c
"""


def _column(kinds: str, where: str, order: str) -> str:
    """The first cards of a column: a few of each kind by index, then the first of them all."""
    return f"""
    (SELECT coalesce(json_agg(row_to_json(c)), '[]') FROM (
        SELECT {_CARD}
        FROM {kinds} CROSS JOIN LATERAL (
            SELECT t.* FROM {{board}}.tasks AS t
            WHERE {where} ORDER BY {order} LIMIT %(limit)s) AS t
        ORDER BY {order} LIMIT %(limit)s) AS c)"""


_KINDS = "unnest(%(kinds)s::text[]) AS k (name)"
_ONE = "(SELECT) AS k"
_ANY_KIND = "(%(all)s OR t.kind = ANY (%(kinds)s::text[]))"

_COLUMNS = {
    "waiting": _column(
        _KINDS,
        "t.kind = k.name AND t.status = 'pending' AND NOT t.paused",
        "(~t.priority), t.created_at, t.id",
    ),
    "paused": _column(
        _ONE, f"t.paused AND t.status = 'pending' AND {_ANY_KIND}", "t.created_at, t.id"
    ),
    "scheduled": _column(
        _KINDS,
        "t.kind = k.name AND t.status = 'scheduled'",
        "coalesce(t.leased_until, t.run_at), t.id",
    ),
    "progress": _column(
        _KINDS,
        "t.kind = k.name AND t.status = 'in_progress'",
        "coalesce(t.leased_until, t.run_at), t.id",
    ),
    "human": _column(
        _ONE, f"t.status = 'escalated' AND {_ANY_KIND}", "(~t.priority), t.escalated_at, t.id"
    ),
    "done": _column(
        _ONE,
        f"t.status IN ('completed', 'cancelled') AND {_ANY_KIND}",
        "t.finished_at DESC, t.id DESC",
    ),
}

STATE = (
    "SELECT json_build_object("
    + ",".join(f"'{name}', {column}" for name, column in _COLUMNS.items())
    + ")::text, now()"
)

COUNTS = """
SELECT t.kind, CASE t.status WHEN 'in_progress' THEN 'progress' ELSE 'waiting' END, count(*),
       min(t.created_at)
FROM {board}.tasks AS t WHERE t.status IN ('scheduled', 'in_progress') GROUP BY t.kind, t.status
UNION ALL
SELECT t.kind, 'waiting', count(*), min(t.created_at)
FROM {board}.tasks AS t WHERE t.status = 'pending' AND NOT t.paused GROUP BY t.kind
UNION ALL
SELECT t.kind, 'waiting', count(*), min(t.created_at)
FROM {board}.tasks AS t WHERE t.status = 'pending' AND t.paused GROUP BY t.kind
UNION ALL
SELECT t.kind, 'human', count(*), min(t.escalated_at)
FROM {board}.tasks AS t WHERE t.status = 'escalated' GROUP BY t.kind
UNION ALL
SELECT t.kind, 'done', count(*), max(t.finished_at)
FROM {board}.tasks AS t
WHERE t.status IN ('completed', 'cancelled') AND t.finished_at > now() - interval '24 hours'
GROUP BY t.kind
UNION ALL
SELECT NULL, 'now', 0, clock_timestamp()
"""

# The fullest budgets, and those that hold their tasks back. When one is free again is told only
# while it is not: else every reading would differ from the one before.
BUDGETS = """
SELECT b.provider, b.account, b.unit, extract(epoch FROM b.period)::float8, b.max_units, b.used,
       b.reason, CASE WHEN b.reason IS NOT NULL THEN b.next_free_at END
FROM {board}.provider_budgets AS b
WHERE b.max_units IS NOT NULL AND (b.used > 0 OR b.reason IS NOT NULL)
ORDER BY b.reason IS NULL, b.used::float8 / b.max_units DESC,
         b.provider, b.account, b.unit, b.period
LIMIT 12
"""

# Heartbeats leave no event unless settings.log_heartbeats: the leases on screen are read again.
LEASES = f"""
SELECT t.id::text, t.leased_until, t.heartbeat_at, {_cut("t.progress")}
FROM {{board}}.tasks AS t WHERE t.status = 'in_progress'
ORDER BY t.leased_until LIMIT %(limit)s
"""

TASK = f"""
SELECT row_to_json(c)::text
FROM (SELECT {_CARD}, t.unique_key, t.correlation_id
      FROM {{board}}.tasks AS t WHERE t.id = %(id)s::uuid) AS c
"""

TIMELINE = """
SELECT e.kind, e.type, e.actor, e.attempt, e.payload::text, e.created_at, h.what
FROM {board}.task_events AS e JOIN {board}.history AS h USING (task_id, seq)
WHERE e.task_id = %(id)s::uuid ORDER BY e.seq DESC LIMIT 500
"""

REQUEST = "SELECT {board}.request(%s, %s, %s)"


READ = (
    "EVENTS",
    "LATEST",
    "WRITERS",
    "CARDS",
    "STATE",
    "COUNTS",
    "BUDGETS",
    "LEASES",
    "TASK",
    "TIMELINE",
)


def compose(text: str, schema: str) -> sql.Composed:
    return sql.SQL(text).format(board=sql.Identifier(schema))
