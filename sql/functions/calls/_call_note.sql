CREATE OR REPLACE FUNCTION board._call_note(call board.calls)
RETURNS jsonb
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object(
        'problem', format('Step "%s" was sent%s by "%s" at attempt %s, and nobody knows what came of it.',
                          (call).step, coalesce(' to "' || (call).provider || '"', ''),
                          (call).agent, (call).attempt),
        'todo', 'Find out from the provider by the idempotency key, take the task with claim_escalated, tell the outcome with finish_call, then complete it or hand it back with retry.',
        'step', (call).step,
        'provider', (call).provider,
        'account', (call).account,
        'idempotency_key', (call).idempotency_key,
        'sent_at', (call).began_at,
        'sent_by', (call).agent,
        'attempt', (call).attempt);
$$;

COMMENT ON FUNCTION board._call_note(board.calls) IS
    'Private: what the people who get an indeterminate call need to know; the payload of its escalation.';
