CREATE OR REPLACE FUNCTION board._cancel_scope(
    id    uuid,
    whole boolean)
RETURNS TABLE (ending uuid[], wanted uuid[])
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _next uuid[] := ARRAY[id];
BEGIN
    -- Locks nothing. Downstream level by level, each task once; then whoever waits for one of
    -- these, and whoever stands before one of these in a sequence.
    ending := _next;
    WHILE whole AND cardinality(_next) > 0 LOOP
        _next := ARRAY(
            SELECT DISTINCT n.task_id
              FROM board.task_needs AS n
             WHERE n.needs_id = ANY (_next)
               AND n.met_at IS NULL
               AND n.needed
               AND n.task_id <> ALL (ending));
        ending := ending || _next;
    END LOOP;
    wanted := ARRAY(
        SELECT e.id FROM unnest(ending) AS e (id)
         UNION
        SELECT n.task_id FROM board.task_needs AS n
         WHERE n.needs_id = ANY (ending) AND n.met_at IS NULL
         UNION
        SELECT n.needs_id FROM board.task_needs AS n
         WHERE n.task_id = ANY (ending) AND n.met_at IS NULL AND n.in_sequence
         ORDER BY 1);
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION board._cancel_scope IS
    'Private: what the cancelling of a task touches. ending: the task and (whole) all that need it, '
    'and so on; wanted: these, those that wait for them, and those before them in a sequence.';
