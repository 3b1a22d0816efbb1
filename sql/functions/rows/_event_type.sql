CREATE OR REPLACE FUNCTION board._event_type(
    was board.tasks,
    is_ board.tasks)
RETURNS text
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN (was).status <> (is_).status THEN
            CASE (is_).status
                WHEN 'completed' THEN 'completed'
                WHEN 'cancelled' THEN 'cancelled'
                WHEN 'escalated' THEN 'escalated'
                WHEN 'in_progress' THEN 'claimed'
                ELSE CASE
                    WHEN (was).status = 'escalated' THEN 'retried'
                    WHEN (was).status IN ('completed', 'cancelled') THEN 'replayed'
                    ELSE 'released'
                END
            END
        WHEN (is_).status = 'in_progress'
             AND ((was).leased_by, (was).claim_count) <> ((is_).leased_by, (is_).claim_count)
                 THEN 'claimed'
        WHEN (is_).status = 'in_progress'
            AND (was).leased_until < (is_).leased_until THEN 'extended'
        WHEN (was).priority <> (is_).priority THEN 'reprioritized'
        WHEN (is_).paused AND NOT (was).paused THEN 'paused'
        WHEN (was).paused AND NOT (is_).paused THEN 'resumed'
    END;
$$;

COMMENT ON FUNCTION board._event_type IS
    'Private: the event that a change typed by hand amounts to; NULL when it is no transition.';
