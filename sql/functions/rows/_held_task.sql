CREATE OR REPLACE FUNCTION board._held_task(
    id      uuid,
    who     text,
    attempt bigint)
RETURNS board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
BEGIN
    -- Judged twice: without the lock first, so that who does not hold the task is told so at once
    -- and has neither waited for its row nor locked it; then locked, and judged as it is by then.
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _held_task.id;
    IF FOUND THEN
        PERFORM board._check_lease(_task, who, attempt);
    END IF;
    _task := board._task_for_update(_held_task.id);
    PERFORM board._check_lease(_task, who, attempt);
    RETURN _task;
END;
$$;

COMMENT ON FUNCTION board._held_task IS
    'Private: locks the task and returns it if who holds it; TB002 when there is none, TB001 '
    'when the lease is not (or no longer) his, and then nothing is locked.';
