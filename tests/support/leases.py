"""What the log must say about leases, whatever happened: the proof that no two overlapped."""

from __future__ import annotations

from tests.support.testdb import TestDb

# The lease that a claim opens lasts until the first event that ends it. A second claim before that
# is an overlap. A lapse counts only from the moment that the lease was to end.
OVERLAPS = """
    WITH life AS (
        SELECT e.task_id, e.seq, e.type, e.attempt, e.created_at, e.payload,
               lag(e.type) OVER w AS before,
               lag(e.created_at) OVER w AS before_at,
               max(e.attempt) FILTER (WHERE e.type = 'claimed')
                   OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS last_attempt
          FROM board.task_events AS e
         WHERE e.type <> 'extended'
        WINDOW w AS (PARTITION BY e.task_id ORDER BY e.seq)
    )
    SELECT l.task_id, l.seq, l.before, l.type, l.attempt, l.last_attempt
      FROM life AS l
     WHERE (l.type = 'claimed'
            AND (l.before IN ('claimed')
                 OR l.attempt <> coalesce(l.last_attempt, 0) + 1
                 OR l.created_at < l.before_at))
        OR (l.type IN ('completed', 'failed', 'released', 'expired')
            AND (l.before <> 'claimed' OR l.attempt <> l.last_attempt))
"""

# Taken back before its end: the lapse of a lease that the claim promised for longer.
EARLY_LAPSES = """
    SELECT x.task_id, x.attempt, x.created_at, (c.payload ->> 'leased_until')::timestamptz
      FROM board.task_events AS x
      JOIN board.task_events AS c
        ON c.task_id = x.task_id AND c.attempt = x.attempt AND c.type = 'claimed'
     WHERE x.type = 'expired' AND x.created_at < (c.payload ->> 'leased_until')::timestamptz
"""


def assert_leases_never_overlapped(database: TestDb) -> None:
    assert database.rows(OVERLAPS) == []
    assert database.rows(EARLY_LAPSES) == []
    miscounted = database.rows(
        "SELECT t.id, t.claim_count, count(e.seq) FROM board.tasks AS t"
        " LEFT JOIN board.task_events AS e ON e.task_id = t.id AND e.type = 'claimed'"
        " GROUP BY t.id HAVING t.claim_count <> count(e.seq)"
    )
    assert miscounted == []
