CREATE OR REPLACE FUNCTION board._needs_state(ids uuid[])
RETURNS TABLE (id uuid, state text)
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    -- The caller has locked those that exist (_tasks_for_update). One that is not there may have
    -- been pruned: then the last of its endings in the log tells.
    RETURN QUERY
        SELECT n.id,
               coalesce(CASE t.status WHEN 'completed' THEN 'met' WHEN 'cancelled' THEN 'cancelled'
                             ELSE CASE WHEN t.id IS NOT NULL THEN 'unmet' END END,
                        CASE e.type WHEN 'completed' THEN 'met'
                             WHEN 'cancelled' THEN 'cancelled' END,
                        'unknown')
          FROM unnest(ids) AS n (id)
          LEFT JOIN board.tasks AS t ON t.id = n.id
          LEFT JOIN LATERAL (
               SELECT l.type
                 FROM board.task_events AS l
                WHERE t.id IS NULL
                  AND l.task_id = n.id
                  AND l.type IN ('completed', 'cancelled')
                ORDER BY l.seq DESC
                LIMIT 1) AS e ON true;
END;
$$;

COMMENT ON FUNCTION board._needs_state IS
    'Private: of each of these tasks whether it is met (completed), unmet (open), cancelled or '
    'unknown.';
