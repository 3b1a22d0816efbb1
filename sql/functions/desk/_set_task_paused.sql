CREATE OR REPLACE FUNCTION board._set_task_paused(
    who    text,
    id     uuid,
    pause  boolean,
    reason text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _change jsonb;
BEGIN
    -- Locks the task: a claim that is under way is waited for, and then this is TB003.
    _task := board._task_for_update(_set_task_paused.id);
    IF _task.status NOT IN ('blocked', 'pending', 'scheduled') THEN
        PERFORM board._wrong_state(_task, CASE WHEN pause THEN 'pause' ELSE 'resume' END,
            'Only a task that is waiting (blocked, pending or scheduled) can be paused or resumed.');
    END IF;
    IF _task.paused <> pause THEN
        _change := board._change(who, CASE WHEN pause THEN 'paused' ELSE 'resumed' END,
                               CASE WHEN reason IS NOT NULL
                                   THEN jsonb_build_object('reason', reason) END);
        UPDATE board.tasks AS t
           SET paused = _set_task_paused.pause,
               rank = CASE WHEN t.status = 'pending' AND NOT _set_task_paused.pause
                   THEN ~t.priority END,
               due_at = CASE WHEN t.status = 'scheduled' AND NOT _set_task_paused.pause
                   THEN t.run_at END,
               turn = t.turn + 1,
               change = _change
         WHERE t.id = _set_task_paused.id;
    END IF;
END;
$$;

COMMENT ON FUNCTION board._set_task_paused IS
    'Private: pauses or resumes one waiting task; TB002, TB003.';
