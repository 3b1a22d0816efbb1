CREATE OR REPLACE FUNCTION board._release(
    who     text,
    id      uuid,
    delay   interval,
    attempt bigint)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _status text;
    _now timestamptz;
    _change jsonb;
BEGIN
    -- Locks the task; the lease is judged by the clock after that lock.
    PERFORM board._check_delay(_release.delay, 'delay');
    PERFORM board._invalid_argument('delay', 'is NULL', 'Pass ''0'' for at once.')
      WHERE _release.delay IS NULL;
    _task := board._held_task(_release.id, who, _release.attempt);
    _now := clock_timestamp();
    _status := CASE WHEN _task.escalated_at IS NOT NULL THEN 'escalated'
                    WHEN _release.delay > '0' THEN 'scheduled'
                    ELSE 'pending' END;
    _change := board._change(who, 'released');
    UPDATE board.tasks AS t
       SET status = _status,
           leased_by = NULL,
           leased_until = NULL,
           run_at = CASE WHEN _status = 'scheduled' THEN _now + _release.delay ELSE t.run_at END,
           rank = CASE WHEN _status = 'pending' AND NOT t.paused THEN ~t.priority END,
           due_at = CASE WHEN _status = 'scheduled' AND NOT t.paused THEN _now + _release.delay END,
           turn = t.turn + 1,
           change = _change
     WHERE t.id = _release.id;
    RETURN _status;
END;
$$;

COMMENT ON FUNCTION board._release IS
    'Private: body of release for the checked name who.';
