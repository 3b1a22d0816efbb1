CREATE OR REPLACE FUNCTION board._cancel(
    who        text,
    id         uuid,
    note       jsonb,
    dependents boolean)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _change jsonb := board._change(who, 'cancelled', _cancel.note);
    _task board.tasks;
    _now timestamptz;
    _ending uuid[];
BEGIN
    -- Locks the task and whatever its cancelling touches, all or none (_prepare_cancel): a
    -- complete that is under way is waited for, and then this is TB003.
    PERFORM board._check_payload(_cancel.note, 'note');
    IF _cancel.dependents IS NULL THEN
        PERFORM board._invalid_argument('dependents', 'is NULL', 'Pass true or false.');
    END IF;
    IF _cancel.id IS NULL THEN
        PERFORM board._task_not_found(NULL);
    END IF;
    _ending := board._prepare_cancel(_cancel.id, _cancel.dependents);
    _task := board._task_for_update(_cancel.id);
    _now := clock_timestamp();
    IF _task.status IN ('completed', 'cancelled') THEN
        PERFORM board._wrong_state(_task, 'cancel', 'It is finished: there is nothing to cancel.');
    END IF;
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
     WHERE t.id = ANY (_ending)
       AND t.finished_at IS NULL;
    PERFORM board._settle_cancelled(who, e.id) FROM unnest(_ending) AS e (id);
    RETURN 'cancelled';
END;
$$;

COMMENT ON FUNCTION board._cancel IS
    'Private: body of cancel for the checked name who.';
