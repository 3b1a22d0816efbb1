CREATE OR REPLACE FUNCTION board._set_schedule_paused(
    who    text,
    name   text,
    pause  boolean,
    reason text)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _schedule board.task_schedules;
    _now timestamptz;
BEGIN
    -- Waits for whoever is firing it: what he made stays.
    _schedule := board._schedule_for_update(_set_schedule_paused.name, 'target');
    IF _schedule.paused = pause THEN
        RETURN false;
    END IF;
    _now := clock_timestamp();
    UPDATE board.task_schedules AS s
       SET paused_at = CASE WHEN pause THEN _now END,
           paused_by = CASE WHEN pause THEN who END,
           pause_reason = CASE WHEN pause THEN reason END
     WHERE s.name = _set_schedule_paused.name;
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board._set_schedule_paused IS
    'Private: pauses or resumes a schedule; false when it was in that state already.';
