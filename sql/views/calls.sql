-- What tasks did to the outside world, as a part of board.history.

CREATE OR REPLACE VIEW board.call_history AS
SELECT c.task_id,
       date_trunc('milliseconds', c.began_at) AS at,
       board._describe_call(c.decision, c.agent, c.step, c.provider, c.attempt, c.mode) AS what
  FROM board.calls AS c
 WHERE c.decision <> 'report'
UNION ALL
SELECT c.task_id,
       date_trunc('milliseconds', c.finished_at) AS at,
       board._describe_outcome(
           c.finished_by, c.step, c.succeeded, c.attempt, c.late, c.response) AS what
  FROM board.calls AS c
 WHERE c.finished_at IS NOT NULL;

COMMENT ON VIEW board.call_history IS
    'Outbound calls of tasks and their outcomes in plain words. board.history shows them '
    'between the events.';
COMMENT ON COLUMN board.call_history.task_id IS 'The task.';
COMMENT ON COLUMN board.call_history.at IS 'When it was begun, or its outcome told.';
COMMENT ON COLUMN board.call_history.what IS 'What happened, in words.';
