CREATE OR REPLACE FUNCTION board._health()
RETURNS TABLE (
    paused            boolean,
    depth             bigint,
    oldest_age        interval,
    lapsed            bigint,
    human_queue       bigint,
    events_per_minute bigint,
    dead_rows         bigint,
    xmin_age          int,
    xmin_pid          int,
    notify_queue      double precision,
    schedules_overdue bigint,
    overdue_since     timestamptz)
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
BEGIN
    paused := (SELECT s.paused FROM board.settings AS s);
    SELECT count(*) FILTER (WHERE s.status = 'pending'),
           date_trunc('second', _now - min(greatest(s.created_at, s.run_at))
               FILTER (WHERE s.status = 'pending')),
           count(*) FILTER (WHERE s.status = 'pending' AND s.leased_until IS NOT NULL),
           count(*) FILTER (WHERE s.status = 'escalated')
      INTO depth, oldest_age, lapsed, human_queue
      FROM (SELECT t.created_at, t.run_at, t.leased_until,
                   board._status_at(t.status, t.run_at, t.leased_until, t.escalated_at,
                                    t.lapse_count, k.max_lapses, _now) AS status
              FROM board.tasks AS t
              LEFT JOIN board.kinds AS k ON k.name = t.kind
             WHERE t.status IN ('pending', 'escalated')
                OR t.status = 'scheduled' AND t.run_at <= _now
                OR t.status = 'in_progress' AND t.leased_until <= _now) AS s;
    -- Only the youngest events are looked at: at more than 100,000 a minute the number is too low.
    SELECT count(*) INTO events_per_minute
      FROM (SELECT e.created_at
              FROM board.task_events AS e
             ORDER BY e.xid DESC, e.seq DESC
             LIMIT 100000) AS e
     WHERE e.created_at > _now - interval '1 minute';
    dead_rows := pg_stat_get_dead_tuples('board.tasks'::regclass);
    SELECT age(a.backend_xmin), a.pid INTO xmin_age, xmin_pid
      FROM pg_stat_activity AS a
     WHERE a.backend_xmin IS NOT NULL AND a.pid <> pg_backend_pid()
     ORDER BY age(a.backend_xmin) DESC
     LIMIT 1;
    notify_queue := pg_notification_queue_usage();
    SELECT count(*), min(s.next_at) INTO schedules_overdue, overdue_since
      FROM board.task_schedules AS s
     WHERE s.next_at <= _now AND s.paused_at IS NULL;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION board._health IS 'Private: the one row of board.health.';
