CREATE OR REPLACE FUNCTION board._record_decision(
    who      text,
    task_id  uuid,
    step     text,
    decision jsonb,
    attempt  int DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Locks: the task (_held reads the clock after it), then the compared step.
    IF decision IS NULL THEN
        PERFORM board._refuse('decision', 'is NULL',
            'Pass JSON null, ''null''::jsonb, for "decided to do nothing".');
    END IF;
    RETURN board._decide(board._held(task_id, who, attempt), step, decision);
END;
$$;

COMMENT ON FUNCTION board._record_decision(text, uuid, text, jsonb, int) IS
    'Private: record_decision for a name that has been checked.';
