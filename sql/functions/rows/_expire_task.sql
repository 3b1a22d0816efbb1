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
    _stamp jsonb;
BEGIN
    -- The caller holds the lock and has seen that the task is due.
    IF task.status = 'scheduled' THEN
        _stamp := board._stamp(who, 'due');
        UPDATE board.tasks AS t
           SET status = 'pending', stamp = _stamp
         WHERE t.id = task.id;
        RETURN 'pending';
    END IF;

    SELECT k.max_lapses INTO _max_lapses FROM board.kinds AS k WHERE k.name = task.kind;
    IF task.escalated_at IS NOT NULL OR _lapses >= _max_lapses THEN
        _status := 'escalated';
    END IF;
    _stamp := board._stamp(who, 'expired');
    UPDATE board.tasks AS t
       SET status = _status,
           leased_by = NULL,
           leased_until = NULL,
           lapse_count = _lapses,
           escalated_at = CASE WHEN _status = 'escalated' THEN coalesce(t.escalated_at, _now) END,
           escalation_reason = CASE WHEN _status = 'escalated'
               THEN coalesce(t.escalation_reason, 'lapses') END,
           stamp = _stamp
     WHERE t.id = task.id;
    RETURN _status;
END;
$$;

COMMENT ON FUNCTION board._expire_task IS
    'Private: puts back one locked task that is due: scheduled becomes pending; a lapsed lease '
    'becomes pending, or escalated at the kind''s max_lapses or when a person held it. Returns '
    'the new status.';
