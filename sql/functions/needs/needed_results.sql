CREATE OR REPLACE FUNCTION board.needed_results(id uuid)
RETURNS TABLE (task_id uuid, kind text, result jsonb, finished_at timestamptz)
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    -- Locks nothing. A need that has been pruned since is read from the log.
    IF NOT EXISTS (SELECT FROM board.tasks AS t WHERE t.id = needed_results.id) THEN
        PERFORM board._task_not_found(needed_results.id);
    END IF;
    RETURN QUERY
        SELECT n.needs_id,
               coalesce(t.kind::text, e.kind::text),
               coalesce(t.result, CASE WHEN t.id IS NULL THEN e.payload END),
               coalesce(t.finished_at, e.created_at)
          FROM board.task_needs AS n
          LEFT JOIN board.tasks AS t ON t.id = n.needs_id
          LEFT JOIN LATERAL (
               SELECT l.kind, l.payload, l.created_at
                 FROM board.task_events AS l
                WHERE t.id IS NULL AND l.task_id = n.needs_id AND l.type = 'completed'
                ORDER BY l.seq DESC
                LIMIT 1) AS e ON true
         WHERE n.task_id = needed_results.id
           AND n.needed
           AND (t.status = 'completed' OR e.kind IS NOT NULL)
         ORDER BY 4, 1;
END;
$$;

COMMENT ON FUNCTION board.needed_results IS
$$What the needs of a task gave, in the order in which they were completed: for the agent that goes
on when they are done. A need that was dropped, cancelled or is not completed yet has no row.

id  uuid of the task that waited

Errors: TB002 no such task, 22023 for a NULL id.
Example: SELECT task_id, result FROM board.needed_results('0190b6e2-…');$$;
