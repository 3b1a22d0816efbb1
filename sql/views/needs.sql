-- What waits for other tasks: readable in a window of 110 columns.

CREATE OR REPLACE VIEW board.blocked AS
-- The wall clock, read once per query.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT t.id,
       t.kind,
       format('%s of %s', t.unmet_needs, a.needs) AS waits,
       f.kind AS need_kind,
       coalesce(f.status, 'gone') AS need_status,
       date_trunc('second', c.now - t.created_at) AS age
  FROM clock AS c
 CROSS JOIN board.tasks AS t
 CROSS JOIN LATERAL (
       SELECT count(*) AS needs FROM board.task_needs AS n WHERE n.task_id = t.id) AS a
  LEFT JOIN LATERAL (
       SELECT d.kind, s.status
         FROM board.task_needs AS n
         LEFT JOIN board.tasks AS d ON d.id = n.needs_id
         LEFT JOIN board.kinds AS k ON k.name = d.kind
        CROSS JOIN LATERAL (
              SELECT board._status_at(d.status, d.run_at, d.leased_until, d.escalated_at,
                                      d.lapse_count, k.max_lapses, c.now)) AS s (status)
        WHERE n.task_id = t.id AND n.met_at IS NULL
        ORDER BY s.status IS DISTINCT FROM 'cancelled', s.status IS DISTINCT FROM 'escalated',
                 n.needs_id
        LIMIT 1) AS f ON true
 WHERE t.status = 'blocked'
 ORDER BY ~t.priority, t.created_at, t.id;

COMMENT ON VIEW board.blocked IS
    'What waits for other tasks. board.explain() names the needs in words, board.task_needs has '
    'every one.';
COMMENT ON COLUMN board.blocked.id IS 'The task that waits.';
COMMENT ON COLUMN board.blocked.kind IS 'Its kind.';
COMMENT ON COLUMN board.blocked.waits IS 'How many of its needs are not completed yet.';
COMMENT ON COLUMN board.blocked.need_kind IS
    'Kind of the need that most wants attention: cancelled, escalated, then the oldest.';
COMMENT ON COLUMN board.blocked.need_status IS 'Its status.';
COMMENT ON COLUMN board.blocked.age IS 'Since the task was enqueued.';
