CREATE OR REPLACE FUNCTION board._unknown_outcome_note(call board.calls)
RETURNS jsonb
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object(
        'step', (call).step,
        'provider', (call).provider,
        'account', (call).account,
        'idempotency_key', (call).idempotency_key,
        'sent_at', (call).began_at,
        'sent_by', (call).agent,
        'attempt', (call).attempt,
        'todo', 'find out from the provider by the key; then claim_escalated, finish_call, retry');
$$;

COMMENT ON FUNCTION board._unknown_outcome_note IS
    'Private: what people need to know of a call of unknown outcome: the payload of its '
    'escalation.';
