CREATE OR REPLACE FUNCTION board._record_decision(
    who      text,
    task_id  uuid,
    step     text,
    decision jsonb,
    attempt  bigint DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Locks: the task (_held_task reads the clock after it), then the compared step.
    IF decision IS NULL THEN
        PERFORM board._invalid_argument('decision', 'is NULL',
            'Pass JSON null, ''null''::jsonb, for "decided to do nothing".');
    END IF;
    PERFORM board._check_payload(decision, 'decision');
    RETURN board._store_decision(board._held_task(task_id, who, attempt), step, decision);
END;
$$;

COMMENT ON FUNCTION board._record_decision IS
    'Private: record_decision for a name that has been checked.';
