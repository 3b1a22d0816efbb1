CREATE OR REPLACE FUNCTION board._show_history(id uuid)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT coalesce(jsonb_agg(to_jsonb(h) ORDER BY h.seq), '[]')
              FROM board.history AS h
             WHERE h.task_id = _show_history.id);
END;
$$;

COMMENT ON FUNCTION board._show_history IS
    'Private: the rows of board.history of one task for request(), as a JSON array.';
