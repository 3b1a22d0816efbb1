CREATE OR REPLACE FUNCTION board._reprioritize(
    who      text,
    id       uuid,
    priority int)
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _stamp jsonb;
BEGIN
    -- Locks the task. The same priority again is no transition and leaves no event.
    PERFORM board._invalid_argument('priority', 'is NULL', 'Pass a number; 0 is usual.')
      WHERE _reprioritize.priority IS NULL;
    _task := board._task_for_update(_reprioritize.id);
    IF _task.status IN ('completed', 'cancelled') THEN
        PERFORM board._wrong_state(
            _task, 'reprioritize', 'It is finished: its priority does not matter any more.');
    END IF;
    IF _task.priority <> _reprioritize.priority THEN
        _stamp := board._stamp(who, 'reprioritized');
        UPDATE board.tasks AS t
           SET priority = _reprioritize.priority, stamp = _stamp
         WHERE t.id = _reprioritize.id;
    END IF;
    RETURN _reprioritize.priority;
END;
$$;

COMMENT ON FUNCTION board._reprioritize IS
    'Private: body of reprioritize for the checked name who.';
