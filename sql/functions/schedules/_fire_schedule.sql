CREATE OR REPLACE FUNCTION board._fire_schedule(
    name text,
    at   timestamptz,
    most int)
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _schedule board.task_schedules;
    _last timestamptz;
    _next timestamptz;
    _until timestamptz;
    _id uuid;
    _open boolean;
    _why text;
    _made int := 0;
BEGIN
    -- The caller has locked the row and has looked, in the same statement, whether it is due: it
    -- is read here as it stands now, and nobody changes it before the transaction ends. So an
    -- occurrence and next_at beyond it commit together or not at all: a rollback, or the death of
    -- the session, leaves it to the next one. The task before this one is looked at without a
    -- lock: if it is finished at this very moment, this occurrence came the moment before.
    SELECT s.* INTO _schedule FROM board.task_schedules AS s WHERE s.name = _fire_schedule.name;
    _until := least(at, _schedule.ends_at);
    _next := _schedule.next_at;
    _open := _schedule.overlap = 'skip' AND EXISTS (
        SELECT FROM board.tasks AS t
         WHERE t.id = _schedule.last_task_id AND t.finished_at IS NULL);
    WHILE _next <= _until AND _made < most LOOP
        EXIT WHEN _open AND _schedule.missed = 'all';
        _last := CASE WHEN _schedule.missed = 'all' THEN _next ELSE board._last_occurrence(
            _schedule.cron, _schedule.timezone, _next, _until) END;
        _next := board._first_occurrence(_schedule.cron, _schedule.timezone,
            CASE WHEN board._cron_every(_schedule.cron) IS NOT NULL THEN _last END,
            _schedule.ends_at, _last);
        -- A bell that rings once a minute may be a little late; what is later was missed.
        _why := CASE
            WHEN _schedule.missed = 'none' AND _last < at - interval '2 minutes' THEN 'late'
            WHEN _open THEN 'open'
        END;
        IF _why IS NOT NULL THEN
            _schedule.skipped_at := _last;
            _schedule.skip_reason := _why;
            CONTINUE;
        END IF;
        _id := board._insert_occurrence('schedule:' || name, name, _last, _schedule.kind,
                                        _schedule.payload, _schedule.priority);
        IF _id IS NOT NULL THEN
            _schedule.last_task_id := _id;
            _schedule.last_fired_at := clock_timestamp();
            _open := _schedule.overlap = 'skip';
            _made := _made + 1;
        END IF;
    END LOOP;
    UPDATE board.task_schedules AS s
       SET next_at = _next,
           last_at = coalesce(_last, s.last_at),
           last_task_id = _schedule.last_task_id,
           last_fired_at = _schedule.last_fired_at,
           waits_for = CASE WHEN _open AND _next <= _until THEN _schedule.last_task_id END,
           skipped_at = _schedule.skipped_at,
           skip_reason = _schedule.skip_reason
     WHERE s.name = _fire_schedule.name;
    RETURN _made;
END;
$$;

COMMENT ON FUNCTION board._fire_schedule IS
    'Private: makes the tasks of a locked schedule''s due occurrences, at most most, and moves it '
    'on; returns how many it made.';
