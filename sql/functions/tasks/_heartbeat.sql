CREATE OR REPLACE FUNCTION board._heartbeat(
    who      text,
    id       uuid,
    ttl      interval,
    progress jsonb,
    attempt  bigint)
RETURNS timestamptz
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _until timestamptz;
BEGIN
    -- Looks first, without a lock: who does not hold the lease is told so and has locked nothing.
    -- Then locks the row by primary key, reads the clock, judges again. A claim that takes the task
    -- over at this moment skips the locked row, or has it locked: then this waits and finds it
    -- taken.
    IF _heartbeat.ttl IS NOT NULL THEN
        PERFORM board._check_ttl(_heartbeat.ttl);
    END IF;
    PERFORM board._check_attempt(_heartbeat.attempt);
    IF _heartbeat.progress IS NOT NULL THEN
        PERFORM board._check_payload(_heartbeat.progress, 'progress');
    END IF;
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _heartbeat.id;
    _now := clock_timestamp();
    IF NOT board._holds_lease(_task, who, _heartbeat.attempt, _now) THEN
        RETURN NULL;
    END IF;
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _heartbeat.id FOR UPDATE;
    _now := clock_timestamp();
    IF NOT board._holds_lease(_task, who, _heartbeat.attempt, _now) THEN
        RETURN NULL;
    END IF;
    -- The lease was given, or last extended, at heartbeat_at.
    _until := _now + coalesce(_heartbeat.ttl, _task.leased_until - _task.heartbeat_at);
    UPDATE board.tasks AS t
       SET leased_until = _until,
           heartbeat_at = _now,
           progress_at = CASE WHEN _heartbeat.progress <> t.progress
                                OR _heartbeat.progress IS NOT NULL
                                   AND (t.progress IS NULL OR t.progress_at IS NULL)
                              THEN _now ELSE t.progress_at END,
           progress = coalesce(_heartbeat.progress, t.progress),
           due_at = CASE WHEN t.escalated_at IS NULL THEN _until END,
           turn = t.turn + 1,
           change = NULL
     WHERE t.id = _heartbeat.id;
    RETURN _until;
END;
$$;

COMMENT ON FUNCTION board._heartbeat IS
    'Private: body of heartbeat for the checked name who.';
