CREATE OR REPLACE FUNCTION board._keep_evidence(
    compared    board.compared_steps,
    side        text,
    reason      text,
    value       jsonb,
    mode_since  timestamptz,
    recorded_by text,
    recorded_at timestamptz,
    task_id     uuid DEFAULT NULL,
    attempt     int  DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- The caller holds the lock on the compared step, so nobody writes the same in between. Whoever
    -- repeats himself adds nothing.
    IF NOT EXISTS (
        SELECT
          FROM board.comparison_evidence AS e
         WHERE e.kind = compared.kind
           AND e.correlation_id = compared.correlation_id
           AND e.step = compared.step
           AND e.side = _keep_evidence.side
           AND e.reason = _keep_evidence.reason
           AND e.mode_since = _keep_evidence.mode_since
           AND e.value = _keep_evidence.value)
    THEN
        INSERT INTO board.comparison_evidence (
            kind, correlation_id, step, side, reason, value, mode_since, recorded_by, recorded_at,
            task_id, attempt)
        VALUES (
            compared.kind, compared.correlation_id, compared.step, _keep_evidence.side,
            _keep_evidence.reason, _keep_evidence.value, _keep_evidence.mode_since,
            _keep_evidence.recorded_by, _keep_evidence.recorded_at, _keep_evidence.task_id,
            _keep_evidence.attempt);
    END IF;
    RETURN reason;
END;
$$;

COMMENT ON FUNCTION board._keep_evidence IS
    'Private: keeps a record that does not stand in the comparison, once; returns the reason.';
