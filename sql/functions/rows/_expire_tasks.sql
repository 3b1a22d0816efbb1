CREATE OR REPLACE FUNCTION board._expire_tasks(
    who text,
    ids uuid[],
    at  timestamptz)
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _expired int := 0;
BEGIN
    IF cardinality(_expire_tasks.ids) = 0 THEN
        RETURN 0;
    END IF;
    -- In id order, SKIP LOCKED: a row that somebody holds is being changed right now, by its holder
    -- or by another sweeper; either way it is not ours to expire.
    FOR _task IN
        SELECT t.* FROM board.tasks AS t
         WHERE t.id = ANY (_expire_tasks.ids)
         ORDER BY t.id
           FOR UPDATE SKIP LOCKED
    LOOP
        IF _task.status IN ('scheduled', 'in_progress')
           AND coalesce(_task.leased_until, _task.run_at) <= _expire_tasks.at THEN
            PERFORM board._expire_task(who, _task);
            _expired := _expired + 1;
        END IF;
    END LOOP;
    RETURN _expired;
END;
$$;

COMMENT ON FUNCTION board._expire_tasks IS
    'Private: locks those of the tasks that nobody else has locked, and puts back each that was '
    'due by at; returns how many.';
