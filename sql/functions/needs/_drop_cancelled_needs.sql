CREATE OR REPLACE FUNCTION board._drop_cancelled_needs(
    id uuid,
    at timestamptz)
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    -- Locks: none of its own; the caller holds the task. A need that is replayed at this moment was
    -- cancelled when the person decided to go on without it.
    UPDATE board.task_needs AS n
       SET met_at = at
     WHERE n.task_id = _drop_cancelled_needs.id
       AND n.met_at IS NULL
       AND NOT EXISTS (SELECT FROM board.tasks AS t
                        WHERE t.id = n.needs_id AND t.status <> 'cancelled');
    RETURN (SELECT count(*) FROM board.task_needs AS n
             WHERE n.task_id = _drop_cancelled_needs.id AND n.met_at IS NULL);
END;
$$;

COMMENT ON FUNCTION board._drop_cancelled_needs IS
    'Private: lets a task wait no longer for needs that were cancelled; returns how many it still '
    'waits for.';
