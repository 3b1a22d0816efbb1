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
    _now timestamptz;
    _change jsonb;
BEGIN
    -- Locks the task; the lease is judged by the clock after that lock.
    PERFORM board._check_payload(_escalate.payload, 'payload');
    PERFORM board._held_task(_escalate.id, who, _escalate.attempt);
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
           turn = t.turn + 1,
           change = _change
     WHERE t.id = _escalate.id;
    RETURN 'escalated';
END;
$$;

COMMENT ON FUNCTION board._escalate IS
    'Private: body of escalate for the checked name who; reason goes into escalation_reason.';
