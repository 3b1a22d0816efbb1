CREATE OR REPLACE FUNCTION board._cancel(
    who  text,
    id   uuid,
    note jsonb)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _change jsonb;
BEGIN
    -- Locks the task: a complete that is under way is waited for, and then this is TB003.
    PERFORM board._check_payload(_cancel.note, 'note');
    _task := board._task_for_update(_cancel.id);
    _now := clock_timestamp();
    IF _task.status IN ('completed', 'cancelled') THEN
        PERFORM board._wrong_state(_task, 'cancel', 'It is finished: there is nothing to cancel.');
    END IF;
    _change := board._change(who, 'cancelled', _cancel.note);
    UPDATE board.tasks AS t
       SET status = 'cancelled',
           leased_by = NULL,
           leased_until = NULL,
           finished_at = _now,
           finished_by = who,
           rank = NULL,
           due_at = NULL,
           turn = t.turn + 1,
           change = _change
     WHERE t.id = _cancel.id;
    RETURN 'cancelled';
END;
$$;

COMMENT ON FUNCTION board._cancel IS
    'Private: body of cancel for the checked name who.';
