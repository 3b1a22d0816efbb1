-- Recurring work at a glance.

CREATE OR REPLACE VIEW board.schedules AS
-- The wall clock, read once per query.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT s.name,
       s.meaning,
       s.cron,
       s.timezone,
       s.kind,
       s.payload,
       s.priority,
       s.missed,
       s.overlap,
       s.starts_at,
       s.ends_at,
       s.next_at AS next_occurrence,
       CASE WHEN s.next_at <= c.now AND NOT s.paused THEN s.next_at END AS overdue_since,
       t.scheduled_for AS last_occurrence,
       s.last_task_id,
       t.status::text AS last_status,
       s.last_fired_at,
       s.skipped_at,
       s.skip_reason,
       s.paused,
       s.paused_at,
       s.paused_by,
       s.pause_reason,
       s.created_at
  FROM clock AS c
 CROSS JOIN board.task_schedules AS s
  LEFT JOIN board.tasks AS t ON t.id = s.last_task_id
 ORDER BY s.name;

COMMENT ON VIEW board.schedules IS
    'Recurring work: what each schedule means, when it comes next, and what became of the last '
    'time.';
COMMENT ON COLUMN board.schedules.name IS 'Name of the schedule.';
COMMENT ON COLUMN board.schedules.meaning IS 'What the expression means, in words.';
COMMENT ON COLUMN board.schedules.cron IS 'The expression.';
COMMENT ON COLUMN board.schedules.timezone IS 'The time zone whose clock it is about.';
COMMENT ON COLUMN board.schedules.kind IS 'Kind of its tasks.';
COMMENT ON COLUMN board.schedules.payload IS 'Payload of its tasks.';
COMMENT ON COLUMN board.schedules.priority IS 'Priority of its tasks.';
COMMENT ON COLUMN board.schedules.missed IS
    'What becomes of occurrences that nobody fired in time: one, all or none.';
COMMENT ON COLUMN board.schedules.overlap IS
    'Whether there may be a second open task: skip or allow.';
COMMENT ON COLUMN board.schedules.starts_at IS 'No occurrence before this moment.';
COMMENT ON COLUMN board.schedules.ends_at IS 'No occurrence after this moment.';
COMMENT ON COLUMN board.schedules.next_occurrence IS
    'The first occurrence that has not been dealt with; empty: there is none any more.';
COMMENT ON COLUMN board.schedules.overdue_since IS
    'Since when it is due and nobody has fired it: nobody has looked for work since, or, with '
    'missed all and overlap skip, the task before it is still open. Empty: it is not due.';
COMMENT ON COLUMN board.schedules.last_occurrence IS 'The occurrence that made the last task.';
COMMENT ON COLUMN board.schedules.last_task_id IS 'The task that it made last.';
COMMENT ON COLUMN board.schedules.last_status IS
    'Status of that task; empty: there was none, or it has been pruned.';
COMMENT ON COLUMN board.schedules.last_fired_at IS 'When the last task was made.';
COMMENT ON COLUMN board.schedules.skipped_at IS 'The last occurrence that made no task.';
COMMENT ON COLUMN board.schedules.skip_reason IS
    'Why it made none: open (the task before it was) or late (nobody fired it in time).';
COMMENT ON COLUMN board.schedules.paused IS 'Whether it is paused.';
COMMENT ON COLUMN board.schedules.paused_at IS 'Since when it is paused.';
COMMENT ON COLUMN board.schedules.paused_by IS 'Who paused it.';
COMMENT ON COLUMN board.schedules.pause_reason IS 'Why it is paused.';
COMMENT ON COLUMN board.schedules.created_at IS 'When it was first configured.';
