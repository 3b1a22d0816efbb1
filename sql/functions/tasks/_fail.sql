CREATE OR REPLACE FUNCTION board._fail(
    who       text,
    id        uuid,
    payload   jsonb,
    permanent boolean,
    retry_in  interval,
    attempt   bigint)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _kind board.kinds;
    _strikes int;
    _delay interval;
    _status text;
    _reason text;
    _now timestamptz;
    _change jsonb;
    _digest text;
    _answer text;
BEGIN
    -- Locks the task, if it is his; reads the kind's policy; the lease is judged by the clock after
    -- the lock. Said again for the attempt that it ended it changes nothing.
    PERFORM board._check_delay(_fail.retry_in, 'retry_in');
    PERFORM board._invalid_argument('permanent', 'is NULL', 'Pass true or false.')
      WHERE _fail.permanent IS NULL;
    PERFORM board._check_payload(_fail.payload, 'payload');
    IF _fail.attempt IS NOT NULL THEN
        _digest := board._digest(jsonb_build_array(_fail.payload, _fail.permanent));
    END IF;
    _task := board._task_to_end(_fail.id, who, _fail.attempt, 'fail', _digest);
    _answer := board._ended_as(_task.ended, who, _fail.attempt, 'fail', _digest);
    IF _answer IS NOT NULL THEN
        RETURN _answer;
    END IF;
    _now := clock_timestamp();
    _kind := board._kind_policy(_task.kind);
    _strikes := _task.failure_count + 1;
    _delay := coalesce(_fail.retry_in,
        board._backoff(_strikes, _kind.retry_delay, _kind.retry_delay_max));
    _reason := CASE WHEN _fail.permanent THEN 'permanent'
                    WHEN _task.escalated_at IS NOT NULL THEN _task.escalation_reason
                    WHEN _strikes >= _kind.max_failures THEN 'failures' END;
    _status := CASE WHEN _reason IS NOT NULL THEN 'escalated'
                    WHEN _delay > '0' THEN 'scheduled'
                    ELSE 'pending' END;
    _change := board._change(who, 'failed');
    UPDATE board.tasks AS t
       SET status = _status,
           leased_by = NULL,
           leased_until = NULL,
           failure_count = _strikes,
           last_failure = _fail.payload,
           run_at = CASE WHEN _status = 'scheduled' THEN _now + _delay ELSE t.run_at END,
           escalated_at = CASE WHEN _status = 'escalated' THEN coalesce(t.escalated_at, _now) END,
           escalation_reason = _reason,
           rank = CASE WHEN _status = 'pending' AND NOT t.paused THEN ~t.priority END,
           due_at = CASE WHEN _status = 'scheduled' AND NOT t.paused THEN _now + _delay END,
           ended = board._ended(t.claim_count, who, 'fail', _status, _digest),
           turn = t.turn + 1,
           change = _change
     WHERE t.id = _fail.id;
    RETURN _status;
END;
$$;

COMMENT ON FUNCTION board._fail IS
    'Private: body of fail for the checked name who.';
