CREATE OR REPLACE FUNCTION board._wrong_state(
    task board.tasks,
    verb text,
    hint text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'TB003',
        MESSAGE = format('cannot %s a task that is %s', verb, task.status),
        DETAIL = format('Task %s is %s%s.', task.id, task.status,
            coalesce(' by "' || coalesce(task.leased_by, task.finished_by) || '"', '')),
        HINT = hint;
END;
$$;

COMMENT ON FUNCTION board._wrong_state IS
    'Private: raises TB003: the verb does not apply to a task in this status.';
