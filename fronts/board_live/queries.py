"""The relay's SQL: plain SELECTs with a viewer's rights.

`{board}` is the board's schema. Every list is cut to the cards that a screen can show, so that a
board of a million tasks costs what a small one does; only the counts grow with what is open.
"""

from __future__ import annotations

from psycopg import sql

_WIDE = (
    'strict $.** ? (@.type() == "number" && (@ >= 1e40 || @ <= -1e40'
    " || (@ != 0 && @ < 1e-40 && @ > -1e-40)))"
)
_DEEP = 'strict $.**{{100}} ? (@.type() == "array" || @.type() == "object")'
NOT_SHOWN = "cannot be shown: it prints as more than can be read"


def _large(column: str) -> str:
    """More than what prints as a few megabytes at the worst. (#> '{}' is the value itself, without
    its table's compression.)"""
    return f"pg_column_size({column} #> '{{{{}}}}') > 4000"


def _wide(column: str) -> str:
    """Whether there is a number in it that prints as more than it is stored as."""
    return f"jsonb_path_exists({column}, '{_WIDE}')"


def _shown(column: str, most: int, never: str) -> str:
    """A JSON value as it is shown: itself, or text instead of it.

    The beginning of its text when that is too long, or when it holds what not every reader of JSON
    takes: a number beyond a float's range, a hundred levels. Nothing at all when it may print as
    far more than it is stored as (1e131071 takes 16 bytes, or 131,072 digits) or, as `never` has
    it, has failed to print before.
    """
    deep = (
        f"(pg_column_size({column} #> '{{{{}}}}') > 800 AND jsonb_path_exists({column}, '{_DEEP}'))"
    )
    return (
        f"CASE WHEN {_large(column)} AND ({never} OR {_wide(column)})"
        f" THEN to_jsonb('{NOT_SHOWN}'::text) "
        f"WHEN length({column}::text) > {most} THEN to_jsonb(left({column}::text, {most}) || '…') "
        f"WHEN {_wide(column)} OR {deep} THEN to_jsonb({column}::text) ELSE {column} END"
    )


# JSON is printed by PostgreSQL and parsed by browsers; nobody in between reads it.
_PAYLOAD = f"CASE WHEN NOT %(bare)s THEN ({_shown('e.payload', 16384, 'false')})::text END"

EVENTS = f"""
SELECT e.cursor, e.seq, e.task_id::text, e.kind, e.type, e.actor, e.attempt, {_PAYLOAD},
       e.created_at
FROM {{board}}.events_since(%(since)s, %(limit)s) AS e
"""

PAYLOAD = f"""
SELECT {_PAYLOAD} FROM {{board}}.task_events AS e WHERE e.seq = %(seq)s AND e.task_id = %(id)s::uuid
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
    """A JSON column of a card. Of an odd task, one of whose columns has failed to print, nothing
    large is printed any more."""
    shown = _shown(column, 2000, "%(bare)s OR t.id = ANY (%(odd)s::uuid[])")
    return f"{shown} AS {column.partition('.')[2]}"


_CARD = f"""
       t.id, t.kind, t.status, t.priority, {_cut("t.payload")}, t.created_at, t.run_at, t.leased_by,
       t.leased_until, t.heartbeat_at, t.claim_count, t.failure_count, t.lapse_count,
       {_cut("t.progress")}, {_cut("t.result")}, {_cut("t.last_failure")}, t.escalated_at,
       t.escalation_reason, t.finished_at, t.finished_by, t.paused, t.unmet_needs,
       CASE WHEN t.status = 'in_progress' THEN
           (SELECT e.created_at FROM {{board}}.task_events AS e
            WHERE e.task_id = t.id AND e.type = 'claimed' ORDER BY e.seq DESC LIMIT 1)
       END AS claimed_at
"""

CARDS = f"""
SELECT c.id::text, row_to_json(c)::text
FROM (SELECT {_CARD} FROM {{board}}.tasks AS t WHERE t.id = ANY(%(ids)s::uuid[])) AS c
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

# Through the indexes that the verbs keep: rank (ready), due_at (scheduled, or held by an agent),
# the rare states; what is blocked through what it waits for, what is finished through the log's
# end.
_COLUMNS = {
    "waiting": _column(
        _KINDS,
        "t.kind = k.name AND t.rank IS NOT NULL",
        "t.rank, t.created_at, t.id",
    ),
    "paused": _column(
        _ONE,
        f"t.paused AND t.status = 'pending' AND t.finished_at IS NULL AND {_ANY_KIND}",
        "t.created_at, t.id",
    ),
    "blocked": _column(
        _ONE,
        "t.id = ANY (ARRAY(SELECT DISTINCT n.task_id FROM {board}.task_needs AS n"
        f" WHERE n.met_at IS NULL LIMIT 1000)) AND t.status = 'blocked' AND {_ANY_KIND}",
        "(~t.priority), t.created_at, t.id",
    ),
    "scheduled": _column(
        _KINDS,
        "t.kind = k.name AND t.due_at IS NOT NULL AND t.status = 'scheduled'",
        "t.due_at, t.id",
    ),
    "progress": _column(
        _KINDS,
        "t.kind = k.name AND t.due_at IS NOT NULL AND t.status = 'in_progress'",
        "t.due_at, t.id",
    ),
    "persons": _column(
        _ONE,
        "t.status = 'in_progress' AND t.escalated_at IS NOT NULL AND t.finished_at IS NULL"
        f" AND {_ANY_KIND}",
        "t.leased_until, t.id",
    ),
    "human": _column(
        _ONE,
        "t.status = 'escalated' AND t.escalated_at IS NOT NULL AND t.finished_at IS NULL"
        f" AND {_ANY_KIND}",
        "(~t.priority), t.escalated_at, t.id",
    ),
    "done": _column(
        _ONE,
        "t.id = ANY (ARRAY(SELECT e.task_id FROM {board}.task_events AS e"
        " WHERE e.type IN ('completed', 'cancelled')"
        "   AND (%(all)s OR e.kind = ANY (%(kinds)s::text[]))"
        " ORDER BY e.xid DESC, e.seq DESC LIMIT 4 * %(limit)s)"
        # Where the log has been pruned: among the youngest tasks.
        " || ARRAY(SELECT y.id FROM {board}.tasks AS y ORDER BY y.id DESC LIMIT 1000))"
        f" AND t.status IN ('completed', 'cancelled') AND {_ANY_KIND}",
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
FROM {board}.tasks AS t WHERE t.due_at IS NOT NULL GROUP BY t.kind, t.status
UNION ALL
SELECT t.kind, 'waiting', count(*), min(t.created_at)
FROM {board}.tasks AS t WHERE t.rank IS NOT NULL GROUP BY t.kind
UNION ALL
SELECT t.kind, 'waiting', count(*), min(t.created_at)
FROM {board}.tasks AS t
WHERE t.id = ANY (ARRAY(SELECT DISTINCT n.task_id FROM {board}.task_needs AS n
                        WHERE n.met_at IS NULL))
  AND t.status = 'blocked' GROUP BY t.kind
UNION ALL
SELECT t.kind, CASE t.status WHEN 'escalated' THEN 'human' WHEN 'in_progress' THEN 'progress'
                    ELSE 'waiting' END, count(*), min(coalesce(t.escalated_at, t.created_at))
FROM {board}.tasks AS t
WHERE t.finished_at IS NULL AND (t.escalated_at IS NOT NULL OR t.paused)
  AND t.status IN ('escalated', 'in_progress', 'pending', 'scheduled') AND t.due_at IS NULL
GROUP BY t.kind, t.status
UNION ALL
SELECT t.kind, 'done', count(*), max(t.finished_at)
FROM {board}.tasks AS t
WHERE t.status IN ('completed', 'cancelled') AND t.finished_at > now() - interval '24 hours'
GROUP BY t.kind
UNION ALL
SELECT t.kind, 'lapsed', count(*), min(t.leased_until)
FROM {board}.tasks AS t
WHERE t.due_at <= now() AND t.status = 'in_progress' GROUP BY t.kind
UNION ALL
SELECT t.kind, 'lapsed', count(*), min(t.leased_until)
FROM {board}.tasks AS t
WHERE t.status = 'in_progress' AND t.escalated_at IS NOT NULL AND t.finished_at IS NULL
  AND t.due_at IS NULL AND t.leased_until <= now()
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

# Where settings.log_heartbeats is off no event tells of a heartbeat: the leases on screen are read
# again.
LEASES = f"""
SELECT c.id, c.kind, c.leased_until, c.heartbeat_at, c.progress::text
FROM ((SELECT t.id::text, t.kind, t.leased_until, t.heartbeat_at, {_cut("t.progress")}
       FROM {{board}}.tasks AS t WHERE t.due_at IS NOT NULL AND t.status = 'in_progress'
       ORDER BY t.due_at LIMIT %(limit)s)
      UNION ALL
      (SELECT t.id::text, t.kind, t.leased_until, t.heartbeat_at, {_cut("t.progress")}
       FROM {{board}}.tasks AS t
       WHERE t.status = 'in_progress' AND t.escalated_at IS NOT NULL AND t.finished_at IS NULL
       ORDER BY t.leased_until LIMIT %(limit)s)) AS c
ORDER BY c.leased_until LIMIT %(limit)s
"""

TASK = f"""
SELECT row_to_json(c)::text
FROM (SELECT {_CARD}, t.unique_key, t.correlation_id,
             (SELECT count(*) FROM {{board}}.task_needs AS n
              WHERE n.needs_id = t.id AND n.met_at IS NULL) AS holds_up
      FROM {{board}}.tasks AS t WHERE t.id = %(id)s::uuid) AS c
"""

TIMELINE = f"""
SELECT e.kind, e.type, e.actor, e.attempt, {_PAYLOAD}, e.created_at, h.what
FROM {{board}}.task_events AS e JOIN {{board}}.history AS h USING (task_id, seq)
WHERE e.task_id = %(id)s::uuid ORDER BY e.seq DESC LIMIT 500
"""

# Where the words of the history fail too: they quote the payload.
BARE_TIMELINE = """
SELECT e.kind, e.type, e.actor, e.attempt, NULL, e.created_at, e.type
FROM {board}.task_events AS e WHERE e.task_id = %(id)s::uuid ORDER BY e.seq DESC LIMIT 500
"""

REQUEST = "SELECT {board}.request(%s, %s, %s)::text"

READ = (
    *("EVENTS", "PAYLOAD", "LATEST", "WRITERS", "CARDS", "STATE", "COUNTS", "LEASES", "TASK"),
    *("BUDGETS", "TIMELINE", "BARE_TIMELINE"),
)


def compose(text: str, schema: str) -> sql.Composed:
    return sql.SQL(text).format(board=sql.Identifier(schema))
