CREATE OR REPLACE FUNCTION board._record_decided(
    task     board.tasks,
    step     text,
    decision jsonb)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Locks: as _store_decision; the caller holds the task.
    PERFORM board._store_decision(task, step, coalesce(decision, 'null'));
END;
$$;

COMMENT ON FUNCTION board._record_decided IS
    'Private: begin_call''s request as the decision of that step; a call without a request '
    'decides null. Does nothing when the kind is live.';
