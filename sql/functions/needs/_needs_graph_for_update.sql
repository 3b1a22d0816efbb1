CREATE OR REPLACE FUNCTION board._needs_graph_for_update()
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Locks: the one row of needs_graph, before any task. One after the other, each sees what the
    -- one before it has committed.
    PERFORM FROM board.needs_graph AS g FOR NO KEY UPDATE;
END;
$$;

COMMENT ON FUNCTION board._needs_graph_for_update IS
    'Private: waits until nobody else gives an existing task a new need.';
