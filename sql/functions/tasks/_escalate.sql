CREATE OR REPLACE FUNCTION board._escalate(
    who     text,
    id      uuid,
    payload jsonb,
    attempt bigint,
    reason  text DEFAULT 'requested')
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _digest text;
    _answer text;
    _now timestamptz;
    _change jsonb;
BEGIN
    -- Locks the task, if it is his; the lease is judged by the clock after that lock. Said again
    -- for the attempt that it ended it changes nothing.
    PERFORM board._check_payload(_escalate.payload, 'payload');
    IF _escalate.attempt IS NOT NULL THEN
        _digest := board._digest(jsonb_build_array(_escalate.payload));
    END IF;
    _task := board._task_to_end(_escalate.id, who, _escalate.attempt, 'escalate', _digest);
    _answer := board._ended_as(_task.ended, who, _escalate.attempt, 'escalate', _digest);
    IF _answer IS NOT NULL THEN
        RETURN _answer;
    END IF;
    _now := clock_timestamp();
    _change := board._change(who, 'escalated', _escalate.payload);
    UPDATE board.tasks AS t
       SET status = 'escalated',
           leased_by = NULL,
           leased_until = NULL,
           last_failure = coalesce(_escalate.payload, t.last_failure),
           escalated_at = coalesce(t.escalated_at, _now),
           escalation_reason = _escalate.reason,
           due_at = NULL,
           ended = board._ended(t.claim_count, who, 'escalate', 'escalated', _digest),
           turn = t.turn + 1,
           change = _change
     WHERE t.id = _escalate.id;
    RETURN 'escalated';
END;
$$;

COMMENT ON FUNCTION board._escalate IS
    'Private: body of escalate for the checked name who; reason goes into escalation_reason.';
