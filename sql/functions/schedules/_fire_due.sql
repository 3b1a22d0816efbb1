CREATE OR REPLACE FUNCTION board._fire_due(most int)
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _names text[];
    _name text;
    _made int := 0;
BEGIN
    -- One probe of task_schedules_due. It locks what it finds, SKIP LOCKED, so never waits: a due
    -- schedule that is locked is being fired, or changed, by another session. One that another
    -- session has fired since the probe's snapshot is checked again under its lock, and left out.
    -- Schedules are locked before tasks; the tasks made are new ones.
    _names := ARRAY(
        SELECT s.name
          FROM board.task_schedules AS s
         WHERE s.next_at <= _now
           AND s.next_at IS NOT NULL
           AND s.paused_at IS NULL
           AND (s.waits_for IS NULL
                OR NOT EXISTS (SELECT FROM board.tasks AS t
                                WHERE t.id = s.waits_for AND t.finished_at IS NULL))
         ORDER BY s.next_at, ~s.priority, s.name
         LIMIT most
           FOR UPDATE OF s SKIP LOCKED);
    FOREACH _name IN ARRAY _names LOOP
        _made := _made + board._fire_schedule(_name, _now, most - _made);
        EXIT WHEN _made >= most;
    END LOOP;
    RETURN _made;
END;
$$;

COMMENT ON FUNCTION board._fire_due IS
    'Private: fires what is due, at most so many tasks; returns how many it made.';
