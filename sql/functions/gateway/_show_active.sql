CREATE OR REPLACE FUNCTION board._show_active(max_tasks int DEFAULT 100)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM board._check_count(max_tasks, 'max_tasks', 10000);
    RETURN (SELECT coalesce(jsonb_agg(to_jsonb(v)), '[]')
              FROM (SELECT q.* FROM board.active AS q LIMIT max_tasks) AS v);
END;
$$;

COMMENT ON FUNCTION board._show_active IS
    'Private: the first rows of board.active for request(), as a JSON array.';
