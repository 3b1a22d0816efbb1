CREATE OR REPLACE FUNCTION board._task_to_end(
    id      uuid,
    who     text,
    attempt bigint,
    verb    text,
    digest  text)
RETURNS board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
BEGIN
    -- As _held_task, for a verb that ends the attempt. Each time, before the lease is judged: has
    -- this very verb ended this attempt already? Then the caller has no lease and needs none; while
    -- it waited for the lock another session of the same agent may have said it.
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _task_to_end.id;
    IF FOUND THEN
        IF board._ended_as(_task.ended, who, attempt, verb, digest) IS NOT NULL THEN
            RETURN _task;
        END IF;
        PERFORM board._check_lease(_task, who, attempt);
    END IF;
    _task := board._task_for_update(_task_to_end.id);
    IF board._ended_as(_task.ended, who, attempt, verb, digest) IS NULL THEN
        PERFORM board._check_lease(_task, who, attempt);
    END IF;
    RETURN _task;
END;
$$;

COMMENT ON FUNCTION board._task_to_end IS
    'Private: locks the task for a verb that ends its attempt and returns it, if who holds it or '
    '(_ended_as) has ended that attempt by the same verb; else TB001, TB002, TB004.';
