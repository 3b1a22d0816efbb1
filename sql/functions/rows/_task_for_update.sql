CREATE OR REPLACE FUNCTION board._task_for_update(id uuid)
RETURNS board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
BEGIN
    -- By primary key alone: with status or lease in this WHERE the planner may take a partial index
    -- full of dead entries. Waits for whoever holds the row; what comes back is the row as
    -- committed.
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _task_for_update.id FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM board._task_not_found(_task_for_update.id);
    END IF;
    RETURN _task;
END;
$$;

COMMENT ON FUNCTION board._task_for_update IS
    'Private: locks one task FOR UPDATE by primary key and returns it; TB002 when there is '
    'none, 22023 for NULL.';
