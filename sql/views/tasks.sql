-- Views for people in psql: readable in a window of 110 columns.

CREATE OR REPLACE VIEW board.queue AS
SELECT t.kind,
       t.priority,
       t.id,
       CASE WHEN t.status = 'in_progress' THEN 'lapsed' WHEN t.status = 'scheduled' THEN 'due'
            ELSE t.status END AS state,
       t.claim_count + 1 AS attempt,
       t.failure_count AS strikes,
       date_trunc('second', clock_timestamp() - t.created_at) AS age
  FROM board._open_kinds(NULL, clock_timestamp()) AS o
  JOIN board.tasks AS t ON t.kind = o.kind
 WHERE NOT t.paused
   AND (t.status = 'pending'
        OR t.status = 'scheduled' AND t.run_at <= clock_timestamp()
        OR t.status = 'in_progress' AND t.leased_until <= clock_timestamp()
            AND t.escalated_at IS NULL)
   AND (o.max_in_progress IS NULL OR board._has_slot(o.kind, o.max_in_progress))
 ORDER BY ~t.priority, t.created_at, t.id;

CREATE OR REPLACE VIEW board.active AS
SELECT t.leased_by,
       t.kind,
       t.id,
       t.claim_count AS attempt,
       CASE WHEN t.leased_until <= clock_timestamp() THEN 'lapsed'
            WHEN clock_timestamp() - t.progress_at > greatest(
                3 * (t.leased_until - t.heartbeat_at), interval '1 minute')
                 AND t.heartbeat_at > t.progress_at THEN 'stalled'
            WHEN t.escalated_at IS NOT NULL THEN 'person'
            ELSE 'working' END AS state,
       date_trunc('second', clock_timestamp() - t.heartbeat_at) AS silent,
       date_trunc('second', t.leased_until - clock_timestamp()) AS lease_left,
       board._said(t.progress, 30) AS progress
  FROM board.tasks AS t
 WHERE t.status = 'in_progress'
 ORDER BY t.leased_until;

CREATE OR REPLACE VIEW board.human_queue AS
SELECT t.kind,
       t.priority,
       t.escalation_reason AS reason,
       t.failure_count AS strikes,
       date_trunc('second', clock_timestamp() - t.escalated_at) AS waiting,
       t.leased_by AS held_by,
       board._said(t.last_failure, 40) AS last_failure,
       t.id
  FROM board.tasks AS t
 WHERE t.status = 'escalated'
    OR t.status = 'in_progress' AND t.escalated_at IS NOT NULL
 ORDER BY ~t.priority, t.escalated_at, t.id;

CREATE OR REPLACE VIEW board.history AS
SELECT e.task_id,
       e.seq,
       date_trunc('milliseconds', e.created_at) AS at,
       board._in_words(e.type, e.kind, e.actor, e.db_user, e.attempt, e.payload) AS what
  FROM board.task_events AS e
 UNION ALL
SELECT c.task_id, NULL, date_trunc('milliseconds', c.at), c.what
  FROM board.call_history AS c
 ORDER BY 3, 2;

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

CREATE OR REPLACE VIEW board.kind_stats AS
SELECT n.name AS kind,
       coalesce(k.mode, 'live') AS mode,
       coalesce(k.paused, false) AS paused,
       count(*) FILTER (WHERE t.status = 'pending') AS pending,
       count(*) FILTER (WHERE t.status = 'scheduled') AS scheduled,
       count(*) FILTER (WHERE t.status = 'in_progress') AS in_progress,
       count(*) FILTER (WHERE t.status = 'escalated') AS escalated,
       count(*) FILTER (WHERE t.status = 'completed') AS completed,
       count(*) FILTER (WHERE t.status = 'cancelled') AS cancelled,
       date_trunc('second',
           clock_timestamp() - min(t.created_at) FILTER (WHERE t.status = 'pending')) AS oldest
  FROM (SELECT s.name FROM board.kind_names AS s UNION SELECT c.name FROM board.kinds AS c) AS n
  LEFT JOIN board.kinds AS k ON k.name = n.name
  LEFT JOIN board.tasks AS t ON t.kind = n.name
 GROUP BY n.name, k.name
 ORDER BY n.name;

CREATE OR REPLACE VIEW board.health AS
SELECT h.paused, h.depth, h.oldest_age, h.lapsed, h.human_queue, h.events_per_minute, h.dead_rows,
       h.xmin_age, h.xmin_pid
  FROM board._health() AS h;

COMMENT ON VIEW board.queue IS 'What agents can claim at this moment, in claim order.';
COMMENT ON COLUMN board.queue.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.queue.priority IS 'Higher is claimed first.';
COMMENT ON COLUMN board.queue.id IS 'The task.';
COMMENT ON COLUMN board.queue.state IS
    'pending; due (its time has come); lapsed (its holder is silent).';
COMMENT ON COLUMN board.queue.attempt IS 'The attempt that its next claim will be.';
COMMENT ON COLUMN board.queue.strikes IS 'fail() calls so far.';
COMMENT ON COLUMN board.queue.age IS 'Since it was enqueued.';
COMMENT ON VIEW board.active IS 'Who holds what, and how long since the last sign of life.';
COMMENT ON COLUMN board.active.leased_by IS 'Agent or person that holds the task.';
COMMENT ON COLUMN board.active.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.active.id IS 'The task.';
COMMENT ON COLUMN board.active.attempt IS 'The attempt of this lease.';
COMMENT ON COLUMN board.active.state IS
    'working; person (from the human queue); stalled (heartbeats come, but the progress they '
    'report has not changed for three leases, a minute at least); lapsed (the lease is over, '
    'nobody has taken the task back yet).';
COMMENT ON COLUMN board.active.silent IS 'Since the last heartbeat (or the claim).';
COMMENT ON COLUMN board.active.lease_left IS 'Until the lease ends; negative: since it lapsed.';
COMMENT ON COLUMN board.active.progress IS 'What the holder last said, cut to 30 characters.';
COMMENT ON VIEW board.human_queue IS
    'What waits for a person, and what people hold of it. Take one with board.claim_escalated().';
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
COMMENT ON VIEW board.history IS
    'The timeline of tasks in plain words: SELECT at, what FROM board.history WHERE task_id = ….';
COMMENT ON COLUMN board.history.task_id IS 'The task; it may have been pruned since.';
COMMENT ON COLUMN board.history.seq IS 'Order of the events; NULL: an outbound call, not an event.';
COMMENT ON COLUMN board.history.at IS 'When.';
COMMENT ON COLUMN board.history.what IS 'What happened, in words.';
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
COMMENT ON VIEW board.kind_stats IS
    'How many tasks each kind has in each status. Counts the whole table.';
COMMENT ON COLUMN board.kind_stats.kind IS 'The kind.';
COMMENT ON COLUMN board.kind_stats.mode IS 'dry_run, shadow or live.';
COMMENT ON COLUMN board.kind_stats.paused IS 'Whether it is paused.';
COMMENT ON COLUMN board.kind_stats.pending IS 'Ready for agents.';
COMMENT ON COLUMN board.kind_stats.scheduled IS 'For later.';
COMMENT ON COLUMN board.kind_stats.in_progress IS 'Held, also under leases that have lapsed.';
COMMENT ON COLUMN board.kind_stats.escalated IS 'In the human queue.';
COMMENT ON COLUMN board.kind_stats.completed IS 'Done.';
COMMENT ON COLUMN board.kind_stats.cancelled IS 'Cancelled.';
COMMENT ON COLUMN board.kind_stats.oldest IS 'Age of the oldest pending task.';
COMMENT ON VIEW board.health IS
    'The state of the board in one row. Counts the open tasks; the rest is read from statistics.';
COMMENT ON COLUMN board.health.paused IS 'Whether the whole board is paused.';
COMMENT ON COLUMN board.health.depth IS
    'Tasks that wait for an agent: pending, due, or under a lease that has lapsed.';
COMMENT ON COLUMN board.health.oldest_age IS 'How long the oldest of them has waited.';
COMMENT ON COLUMN board.health.lapsed IS 'Those of them whose lease has lapsed.';
COMMENT ON COLUMN board.health.human_queue IS 'Tasks that wait for a person.';
COMMENT ON COLUMN board.health.events_per_minute IS
    'Events of the last minute (of the last 100,000 events).';
COMMENT ON COLUMN board.health.dead_rows IS
    'Dead rows in board.tasks: many of them, and vacuum lags or somebody holds an old snapshot.';
COMMENT ON COLUMN board.health.xmin_age IS
    'Age, in transactions, of the oldest snapshot that a session holds; NULL: none is held.';
COMMENT ON COLUMN board.health.xmin_pid IS 'Process id of the session that holds it.';
