CREATE OR REPLACE FUNCTION board._reprioritize(
    who      text,
    id       uuid,
    priority bigint)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _change jsonb;
BEGIN
    -- Locks the task. The same priority again is no transition and leaves no event.
    PERFORM board._check_int(_reprioritize.priority, 'priority');
    _task := board._task_for_update(_reprioritize.id);
    IF _task.status IN ('completed', 'cancelled') THEN
        PERFORM board._wrong_state(
            _task, 'reprioritize', 'It is finished: its priority does not matter any more.');
    END IF;
    IF _task.priority <> _reprioritize.priority THEN
        _change := board._change(who, 'reprioritized');
        UPDATE board.tasks AS t
           SET priority = _reprioritize.priority,
               rank = CASE WHEN t.rank IS NOT NULL THEN ~_reprioritize.priority END,
               turn = t.turn + 1,
               change = _change
         WHERE t.id = _reprioritize.id;
    END IF;
    RETURN _reprioritize.priority;
END;
$$;

COMMENT ON FUNCTION board._reprioritize IS
    'Private: body of reprioritize for the checked name who.';
