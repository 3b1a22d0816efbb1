CREATE OR REPLACE FUNCTION board._task_not_found(id uuid)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF _task_not_found.id IS NULL THEN
        PERFORM board._invalid_argument('id', 'is NULL', 'Pass the id of a task.');
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = 'TB002',
        MESSAGE = 'task not found',
        DETAIL = format('There is no task %s.', _task_not_found.id),
        HINT = 'It may have been pruned: board.history tells what became of it.';
END;
$$;

COMMENT ON FUNCTION board._task_not_found IS 'Private: raises TB002, or 22023 for a NULL id.';
