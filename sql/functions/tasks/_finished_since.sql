CREATE OR REPLACE FUNCTION board._finished_since(
    kind       text,
    unique_key text,
    since      timestamptz)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    -- Volatile: it sees what was committed until now.
    RETURN (
        SELECT t.id
          FROM board.tasks AS t
         WHERE t.kind = _finished_since.kind
           AND t.unique_key = _finished_since.unique_key
           AND t.finished_at > _finished_since.since
         ORDER BY t.finished_at DESC
         LIMIT 1);
END;
$$;

COMMENT ON FUNCTION board._finished_since IS
    'Private: the task of this kind and key that was finished last, after that moment; NULL: none, '
    'or since is NULL.';
