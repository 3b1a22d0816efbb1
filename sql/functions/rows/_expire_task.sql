CREATE OR REPLACE FUNCTION board._expire_task(
    who  text,
    task board.tasks)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _lapses int := task.lapse_count + 1;
    _max_lapses int;
    _status text := 'pending';
    _change jsonb := board._change(who, 'expired');
BEGIN
    -- The caller holds the lock and has seen that the task is due. One whose time has come is no
    -- event (turn 2): it was announced when it was put off.
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
    IF task.escalated_at IS NOT NULL OR _lapses >= _max_lapses THEN
        _status := 'escalated';
    END IF;
    UPDATE board.tasks AS t
       SET status = _status,
           leased_by = NULL,
           leased_until = NULL,
           lapse_count = _lapses,
           escalated_at = CASE WHEN _status = 'escalated' THEN coalesce(t.escalated_at, _now) END,
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
