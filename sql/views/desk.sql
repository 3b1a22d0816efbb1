-- What people have to look at: readable in a window of 110 columns, but for the id of a card, which
-- comes last.

CREATE OR REPLACE VIEW board.human_queue AS
-- The wall clock, read once per query.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT t.kind,
       t.priority,
       coalesce(t.escalation_reason, 'lapses') AS reason,
       t.failure_count AS strikes,
       date_trunc('second', c.now - coalesce(t.escalated_at, t.leased_until)) AS waiting,
       CASE WHEN t.leased_until > c.now THEN t.leased_by END AS held_by,
       (SELECT count(*) FROM board.task_needs AS n
         WHERE n.needs_id = t.id AND n.met_at IS NULL) AS holds_up,
       board._summarize_json(t.last_failure, 32) AS last_failure,
       t.id
  FROM clock AS c
 CROSS JOIN LATERAL (
       SELECT e.*
         FROM board.tasks AS e
        WHERE e.status IN ('escalated', 'in_progress')
          AND e.escalated_at IS NOT NULL
          AND e.finished_at IS NULL
        UNION ALL
       SELECT e.*
         FROM board.kinds AS k
         JOIN board.tasks AS e ON e.kind = k.name AND (e.due_at IS NOT NULL OR e.paused)
        WHERE e.status = 'in_progress'
          AND e.escalated_at IS NULL
          AND e.finished_at IS NULL
          AND board._status_at(e.status, e.run_at, e.leased_until, e.escalated_at, e.lapse_count,
                               k.max_lapses, c.now) = 'escalated') AS t
 ORDER BY ~t.priority, coalesce(t.escalated_at, t.leased_until), t.id;

COMMENT ON VIEW board.human_queue IS
    'What waits for a person, and what people hold of it. Take one with board.claim_escalated(). A '
    'lease that is over counts as over, also where nobody has claimed since.';
COMMENT ON COLUMN board.human_queue.holds_up IS 'How many tasks wait for this one.';
COMMENT ON COLUMN board.human_queue.id IS 'The task.';
COMMENT ON COLUMN board.human_queue.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.human_queue.priority IS 'Higher comes first.';
COMMENT ON COLUMN board.human_queue.reason IS
    'failures (max_failures reached), permanent, lapses (max_lapses reached), requested, or a '
    'cause a verb named.';
COMMENT ON COLUMN board.human_queue.strikes IS 'fail() calls so far.';
COMMENT ON COLUMN board.human_queue.held_by IS 'The person who has taken the card; NULL: free.';
COMMENT ON COLUMN board.human_queue.waiting IS 'Since it came into the queue.';
COMMENT ON COLUMN board.human_queue.last_failure IS
    'What the last fail() or escalate() said, cut to 32 characters; whole in board.tasks.';


CREATE OR REPLACE VIEW board.crash_loops AS
-- The wall clock, read once per query.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT t.id,
       t.kind,
       s.status,
       t.claim_count AS claims,
       s.lapses,
       t.failure_count AS strikes,
       CASE WHEN s.status = 'in_progress' THEN t.leased_by END AS leased_by,
       date_trunc('second', c.now - t.created_at) AS age
  FROM clock AS c
 CROSS JOIN board.tasks AS t
  LEFT JOIN board.kinds AS k ON k.name = t.kind
 CROSS JOIN LATERAL (
       SELECT board._status_at(t.status, t.run_at, t.leased_until, t.escalated_at, t.lapse_count,
                               k.max_lapses, c.now),
              t.lapse_count + CASE WHEN t.leased_until <= c.now THEN 1 ELSE 0 END
       ) AS s (status, lapses)
 WHERE t.status IN ('scheduled', 'pending', 'in_progress', 'escalated')
   AND t.lapse_count >= 2
   AND s.lapses >= 3
 ORDER BY s.lapses DESC, t.id;

COMMENT ON VIEW board.crash_loops IS
    'Open tasks whose lease has lapsed three times or more: they may be killing their agents. '
    'kinds.max_lapses escalates such tasks by itself.';
COMMENT ON COLUMN board.crash_loops.id IS 'The task.';
COMMENT ON COLUMN board.crash_loops.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.crash_loops.status IS 'Its status.';
COMMENT ON COLUMN board.crash_loops.claims IS 'How often it was claimed.';
COMMENT ON COLUMN board.crash_loops.lapses IS
    'How often its lease lapsed, the one that lapsed last included.';
COMMENT ON COLUMN board.crash_loops.strikes IS 'fail() calls so far.';
COMMENT ON COLUMN board.crash_loops.leased_by IS 'Who holds it now.';
COMMENT ON COLUMN board.crash_loops.age IS 'Since it was enqueued.';
