CREATE OR REPLACE FUNCTION board._health()
RETURNS TABLE (measure text, value text)
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
BEGIN
    RETURN QUERY
        SELECT m.measure, m.value
          FROM (SELECT count(*) FILTER (WHERE q.status = 'pending') AS pending,
                       count(*) FILTER (WHERE q.status = 'scheduled') AS scheduled,
                       count(*) FILTER (WHERE q.status = 'in_progress') AS in_progress,
                       count(*) FILTER (WHERE q.status = 'in_progress' AND q.leased_until <= _now)
                           AS lapsed,
                       count(*) FILTER (WHERE q.status = 'escalated') AS escalated,
                       _now - min(greatest(q.created_at, q.run_at)) FILTER (
                           WHERE q.status = 'pending') AS oldest
                  FROM board.tasks AS q
                 WHERE q.status IN ('pending', 'scheduled', 'in_progress', 'escalated')) AS t,
               (SELECT count(*) FROM board.task_events AS e
                 WHERE e.seq > (SELECT max(x.seq) FROM board.task_events AS x) - 100000
                   AND e.created_at > _now - interval '1 minute') AS e (per_minute),
               (SELECT s.n_dead_tup, s.last_autovacuum FROM pg_stat_all_tables AS s
                 WHERE s.relid = 'board.tasks'::regclass) AS s,
               (SELECT max(age(a.backend_xmin)),
                       (array_agg(a.pid ORDER BY age(a.backend_xmin) DESC))[1]
                  FROM pg_stat_activity AS a
                 WHERE a.backend_xmin IS NOT NULL AND a.pid <> pg_backend_pid()) AS x (age, pid),
       LATERAL (VALUES
                ('paused', (SELECT CASE WHEN s.paused THEN 'yes' ELSE 'no' END
                              FROM board.settings AS s)),
                ('pending', t.pending::text),
                ('scheduled', t.scheduled::text),
                ('in progress', t.in_progress::text),
                ('lapsed, not taken back yet', t.lapsed::text),
                ('waiting for people', t.escalated::text),
                ('oldest pending', coalesce(date_trunc('second', t.oldest)::text, 'none')),
                ('events in the last minute', e.per_minute::text),
                ('dead rows in tasks', s.n_dead_tup::text),
                ('last autovacuum of tasks',
                    coalesce(date_trunc('second', s.last_autovacuum)::text, 'never')),
                ('oldest snapshot, in transactions', coalesce(x.age::text, 'none')),
                ('held by pid', coalesce(x.pid::text, 'nobody'))) AS m (measure, value);
END;
$$;

COMMENT ON FUNCTION board._health() IS 'Private: the rows of board.health.';
