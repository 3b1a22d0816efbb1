CREATE OR REPLACE FUNCTION board._retry(
    who     text,
    id      uuid,
    note    jsonb,
    payload jsonb)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _status text;
    _unmet int;
    _change jsonb;
BEGIN
    -- Locks the task. A card in a person's hands may be given back by that person; by another one
    -- only after the lease has lapsed. Needs that were cancelled are waited for no longer.
    PERFORM board._check_payload(_retry.note, 'note');
    PERFORM board._check_payload(_retry.payload, 'payload');
    _task := board._task_for_update(_retry.id);
    _now := clock_timestamp();
    _status := board._status_at(_task.status, _task.run_at, _task.leased_until, _task.escalated_at,
                                _task.lapse_count, (board._kind_policy(_task.kind)).max_lapses,
                                _now);
    IF NOT (_status = 'escalated'
            OR _status = 'in_progress' AND _task.escalated_at IS NOT NULL
               AND _task.leased_by = who) THEN
        PERFORM board._wrong_state(_task, 'retry', CASE
            WHEN _task.status = 'in_progress' AND _task.escalated_at IS NOT NULL
            THEN 'Another person works on this card: only that one may give it back now.'
            ELSE 'Only the human queue can be retried; board.replay() does a finished task again.'
            END);
    END IF;
    _unmet := board._drop_cancelled_needs(_retry.id, _now);
    _change := board._change(who, 'retried', _retry.note);
    UPDATE board.tasks AS t
       SET status = CASE WHEN _unmet > 0 THEN 'blocked' ELSE 'pending' END,
           unmet_needs = _unmet,
           leased_by = NULL,
           leased_until = NULL,
           payload = coalesce(_retry.payload, t.payload),
           answer = _retry.note,
           run_at = _now,
           failure_count = 0,
           lapse_count = 0,
           escalated_at = NULL,
           escalation_reason = NULL,
           rank = CASE WHEN _unmet = 0 AND NOT t.paused THEN ~t.priority END,
           due_at = NULL,
           turn = t.turn + 1,
           change = _change
     WHERE t.id = _retry.id;
    RETURN CASE WHEN _unmet > 0 THEN 'blocked' ELSE 'pending' END;
END;
$$;

COMMENT ON FUNCTION board._retry IS
    'Private: body of retry for the checked name who.';
