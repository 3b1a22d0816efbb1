CREATE OR REPLACE FUNCTION board._heartbeat(
    who      text,
    id       uuid,
    ttl      interval,
    progress jsonb,
    attempt  int)
RETURNS timestamptz
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _stamp jsonb;
BEGIN
    -- Locks the task by primary key, reads the clock, decides. A claim that takes the task over at
    -- this moment skips the locked row, or has it locked: then this waits and finds it taken.
    PERFORM board._check_ttl(_heartbeat.ttl);
    PERFORM board._check_attempt(_heartbeat.attempt);
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _heartbeat.id FOR UPDATE;
    _now := clock_timestamp();
    IF NOT board._holds_lease(_task, who, _heartbeat.attempt, _now) THEN
        RETURN NULL;
    END IF;
    _stamp := board._stamp(who, 'extended');
    UPDATE board.tasks AS t
       SET leased_until = _now + _heartbeat.ttl,
           heartbeat_at = _now,
           progress_at = CASE WHEN _heartbeat.progress <> t.progress
                                OR _heartbeat.progress IS NOT NULL AND t.progress IS NULL
                              THEN _now ELSE t.progress_at END,
           progress = coalesce(_heartbeat.progress, t.progress),
           stamp = _stamp
     WHERE t.id = _heartbeat.id;
    RETURN _now + _heartbeat.ttl;
END;
$$;

COMMENT ON FUNCTION board._heartbeat IS
    'Private: body of heartbeat for the checked name who.';
