CREATE OR REPLACE FUNCTION board._show_task(id uuid)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
BEGIN
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _show_task.id;
    IF NOT FOUND THEN
        PERFORM board._task_not_found(_show_task.id);
    END IF;
    RETURN board._task_json(_task);
END;
$$;

COMMENT ON FUNCTION board._show_task IS 'Private: one task for request(), as JSON; TB002.';
