CREATE OR REPLACE FUNCTION board._expire_task(
    who  text,
    task board.tasks)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _lapses int := task.lapse_count + 1;
    _max_lapses int;
    _status text;
    _change jsonb := board._change(who, 'expired');
BEGIN
    -- The caller holds the lock and has seen that the task is due. One whose time has come is no
    -- event (turn 2): it was announced when it was put off. What escalates has been in the human
    -- queue since its lease lapsed: the views showed it there.
    IF task.status = 'scheduled' THEN
        UPDATE board.tasks AS t
           SET status = 'pending',
               rank = CASE WHEN NOT t.paused THEN ~t.priority END,
               due_at = NULL,
               turn = t.turn + 2
         WHERE t.id = task.id;
        RETURN 'pending';
    END IF;

    SELECT k.max_lapses INTO _max_lapses FROM board.kinds AS k WHERE k.name = task.kind;
    _status := board._status_at(task.status, task.run_at, task.leased_until, task.escalated_at,
                                task.lapse_count, _max_lapses, task.leased_until);
    UPDATE board.tasks AS t
       SET status = _status,
           leased_by = NULL,
           leased_until = NULL,
           lapse_count = _lapses,
           escalated_at = CASE WHEN _status = 'escalated'
               THEN coalesce(t.escalated_at, t.leased_until) END,
           escalation_reason = CASE WHEN _status = 'escalated'
               THEN coalesce(t.escalation_reason, 'lapses') END,
           rank = CASE WHEN _status = 'pending' AND NOT t.paused THEN ~t.priority END,
           due_at = NULL,
           turn = t.turn + 1,
           change = _change
     WHERE t.id = task.id;
    RETURN _status;
END;
$$;

COMMENT ON FUNCTION board._expire_task IS
    'Private: puts back one locked task that is due: scheduled becomes pending; a lapsed lease '
    'becomes pending, or escalated at the kind''s max_lapses or when a person held it. Returns '
    'the new status.';
