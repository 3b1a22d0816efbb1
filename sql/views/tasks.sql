-- What agents can claim, and who holds what: readable in a window of 110 columns.

CREATE OR REPLACE VIEW board.queue AS
SELECT q.kind, q.priority, q.state, q.age, q.payload, q.id
  FROM board._queue() AS q;

COMMENT ON VIEW board.queue IS 'What agents can claim at this moment, in claim order.';
COMMENT ON COLUMN board.queue.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.queue.priority IS 'Higher is claimed first.';
COMMENT ON COLUMN board.queue.id IS 'The task.';
COMMENT ON COLUMN board.queue.state IS
    'pending; due (its time has come); lapsed (its holder is silent).';
COMMENT ON COLUMN board.queue.payload IS 'What its payload says, cut to 20 characters.';
COMMENT ON COLUMN board.queue.age IS 'Since it was enqueued.';


CREATE OR REPLACE VIEW board.waiting AS
SELECT w.kind, w.reason, date_trunc('second', w.until - clock_timestamp()) AS wait,
       CASE WHEN length(w.detail) > 22 THEN left(w.detail, 21) || '…' ELSE w.detail END AS detail,
       w.id
  FROM board._waiting() AS w;

COMMENT ON VIEW board.waiting IS
    'What waits for something else than an agent or a person, and for what; what ends first comes '
    'first. board.explain(id) says it in a sentence, board.blocked has the needs.';
COMMENT ON COLUMN board.waiting.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.waiting.reason IS
    'blocked (other tasks come first); paused (board, kind, task or provider); scheduled (its time '
    'has not come); throttled or no budget (of its provider); at cap (max_in_progress).';
COMMENT ON COLUMN board.waiting.wait IS
    'How long, if nothing else happens; empty: time alone does not end it.';
COMMENT ON COLUMN board.waiting.detail IS
    'What is paused and why, the provider and account, the cap, how many needs are not met.';
COMMENT ON COLUMN board.waiting.id IS 'The task.';


CREATE OR REPLACE VIEW board.active AS
SELECT t.leased_by,
       t.kind,
       CASE WHEN t.leased_until <= clock_timestamp() THEN 'lapsed'
            WHEN clock_timestamp() - t.progress_at > greatest(
                3 * (t.leased_until - t.heartbeat_at), interval '1 minute')
                 AND t.heartbeat_at > t.progress_at THEN 'stalled'
            WHEN t.escalated_at IS NOT NULL THEN 'person'
            ELSE 'working' END AS state,
       date_trunc('second', clock_timestamp() - t.heartbeat_at) AS silent,
       CASE WHEN t.progress_at IS NOT NULL
            THEN board._summarize_json(t.progress, 20) END AS progress,
       t.id
  FROM board.tasks AS t
 WHERE t.status = 'in_progress'
 ORDER BY t.leased_until;

COMMENT ON VIEW board.active IS 'Who holds what, and how long since the last sign of life.';
COMMENT ON COLUMN board.active.leased_by IS 'Agent or person that holds the task.';
COMMENT ON COLUMN board.active.kind IS 'Kind of the task.';
COMMENT ON COLUMN board.active.id IS 'The task.';
COMMENT ON COLUMN board.active.state IS
    'working; person (from the human queue); stalled (heartbeats come, but the progress that this '
    'holder reported has not changed for three leases, a minute at least: who never reports any is '
    'not judged by it); lapsed (the lease is over, nobody has taken the task back yet).';
COMMENT ON COLUMN board.active.silent IS 'Since the last heartbeat (or the claim).';
COMMENT ON COLUMN board.active.progress IS
    'What this holder last said, cut to 20 characters; empty: nothing yet. Whole in board.tasks.';


CREATE OR REPLACE VIEW board.kind_stats AS
-- The wall clock, read once per query.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT coalesce(c.kind, k.name) AS kind,
       coalesce(k.mode, 'live') AS mode,
       coalesce(k.paused, false) AS paused,
       coalesce(c.pending, 0) AS pending,
       coalesce(c.scheduled, 0) AS scheduled,
       coalesce(c.blocked, 0) AS blocked,
       coalesce(c.in_progress, 0) AS in_progress,
       coalesce(c.escalated, 0) AS escalated,
       coalesce(c.completed, 0) AS completed,
       coalesce(c.cancelled, 0) AS cancelled,
       date_trunc('second', clock_timestamp() - c.oldest) AS oldest
  FROM (SELECT t.kind,
               count(*) FILTER (WHERE t.status = 'pending') AS pending,
               count(*) FILTER (WHERE t.status = 'scheduled') AS scheduled,
               count(*) FILTER (WHERE t.status = 'blocked') AS blocked,
               count(*) FILTER (WHERE t.status = 'in_progress') AS in_progress,
               count(*) FILTER (WHERE t.status = 'escalated') AS escalated,
               count(*) FILTER (WHERE t.status = 'completed') AS completed,
               count(*) FILTER (WHERE t.status = 'cancelled') AS cancelled,
               min(t.created_at) FILTER (WHERE t.status = 'pending') AS oldest
          FROM (SELECT a.kind::text AS kind, a.created_at,
                       board._status_at(a.status, a.run_at, a.leased_until, a.escalated_at,
                                        a.lapse_count, p.max_lapses, c.now) AS status
                  FROM clock AS c
                 CROSS JOIN board.tasks AS a
                  LEFT JOIN board.kinds AS p ON p.name = a.kind) AS t
         GROUP BY t.kind) AS c
  FULL JOIN board.kinds AS k ON k.name = c.kind
 ORDER BY 1;

COMMENT ON VIEW board.kind_stats IS
    'How many tasks each kind has in each status, as the next claim would find them: what is due, or '
    'whose lease has lapsed, is pending (or escalated). Counts the whole table.';
COMMENT ON COLUMN board.kind_stats.kind IS 'The kind.';
COMMENT ON COLUMN board.kind_stats.mode IS 'dry_run, shadow or live.';
COMMENT ON COLUMN board.kind_stats.paused IS 'Whether it is paused.';
COMMENT ON COLUMN board.kind_stats.pending IS
    'Ready for agents: pending, due, or under a lease that has lapsed.';
COMMENT ON COLUMN board.kind_stats.scheduled IS 'For later.';
COMMENT ON COLUMN board.kind_stats.blocked IS 'Waiting for other tasks.';
COMMENT ON COLUMN board.kind_stats.in_progress IS 'Held by agents and people.';
COMMENT ON COLUMN board.kind_stats.escalated IS 'In the human queue.';
COMMENT ON COLUMN board.kind_stats.completed IS 'Done.';
COMMENT ON COLUMN board.kind_stats.cancelled IS 'Cancelled.';
COMMENT ON COLUMN board.kind_stats.oldest IS 'Age of the oldest pending task.';
