-- The log in plain words; needs views/calls.sql.

CREATE OR REPLACE VIEW board.history AS
SELECT e.task_id,
       e.seq,
       date_trunc('milliseconds', e.created_at) AS at,
       board._describe_event(e.type, e.kind, e.actor, e.db_user, e.attempt, e.payload) AS what
  FROM board.task_events AS e
 UNION ALL
SELECT c.task_id, NULL, date_trunc('milliseconds', c.at), c.what
  FROM board.call_history AS c
 ORDER BY 3, 2;

COMMENT ON VIEW board.history IS
    'The timeline of tasks in plain words: SELECT at, what FROM board.history WHERE task_id = ….';
COMMENT ON COLUMN board.history.task_id IS 'The task; it may have been pruned since.';
COMMENT ON COLUMN board.history.seq IS 'Order of the events; NULL: an outbound call, not an event.';
COMMENT ON COLUMN board.history.at IS 'When.';
COMMENT ON COLUMN board.history.what IS 'What happened, in words.';
