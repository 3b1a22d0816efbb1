CREATE OR REPLACE FUNCTION board._notify_wakes_agents(
    type text,
    kind text)
RETURNS boolean
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF type IN ('enqueued', 'failed', 'expired', 'released', 'retried', 'replayed', 'resumed',
                'unblocked', 'replaced') THEN
        RETURN true;
    END IF;
    -- The end of any attempt frees a slot of a kind with a cap.
    RETURN type IN ('completed', 'escalated', 'cancelled')
       AND EXISTS (SELECT FROM board.kinds AS k
           WHERE k.name = _notify_wakes_agents.kind AND k.max_in_progress IS NOT NULL);
END;
$$;

COMMENT ON FUNCTION board._notify_wakes_agents IS
    'Private: whether an event can make a task claimable, so that an idle agent has to be told.';
