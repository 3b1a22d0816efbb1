-- What people have to look at: readable in a window of 110 columns.

CREATE OR REPLACE VIEW board.human_queue AS
SELECT t.kind,
       t.priority,
       t.escalation_reason AS reason,
       t.failure_count AS strikes,
       date_trunc('second', clock_timestamp() - t.escalated_at) AS waiting,
       t.leased_by AS held_by,
       (SELECT count(*) FROM board.task_needs AS n
         WHERE n.needs_id = t.id AND n.met_at IS NULL) AS holds_up,
       board._summarize_json(t.last_failure, 32) AS last_failure,
       t.id
  FROM board.tasks AS t
 WHERE t.status IN ('escalated', 'in_progress')
   AND t.escalated_at IS NOT NULL
   AND t.finished_at IS NULL
 ORDER BY ~t.priority, t.escalated_at, t.id;

COMMENT ON VIEW board.human_queue IS
    'What waits for a person, and what people hold of it. Take one with board.claim_escalated().';
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
    'What the last fail() or escalate() said, cut to 40 characters; whole in board.tasks.';


CREATE OR REPLACE VIEW board.crash_loops AS
SELECT t.id,
       t.kind,
       t.status,
       t.claim_count AS claims,
       t.lapse_count AS lapses,
       t.failure_count AS strikes,
       t.leased_by,
       date_trunc('second', clock_timestamp() - t.created_at) AS age
  FROM board.tasks AS t
 WHERE t.status IN ('scheduled', 'pending', 'in_progress', 'escalated')
   AND t.lapse_count >= 3
 ORDER BY t.lapse_count DESC, t.id;

COMMENT ON VIEW board.crash_loops IS
    'Open tasks whose lease has lapsed three times or more: they may be killing their agents. '
    'kinds.max_lapses escalates such tasks by itself.';
COMMENT ON COLUMN board.crash_loops.id IS 'The task.';
COMMENT ON COLUMN board.crash_loops.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.crash_loops.status IS 'Its status.';
COMMENT ON COLUMN board.crash_loops.claims IS 'How often it was claimed.';
COMMENT ON COLUMN board.crash_loops.lapses IS 'How often its lease lapsed.';
COMMENT ON COLUMN board.crash_loops.strikes IS 'fail() calls so far.';
COMMENT ON COLUMN board.crash_loops.leased_by IS 'Who holds it now.';
COMMENT ON COLUMN board.crash_loops.age IS 'Since it was enqueued.';
