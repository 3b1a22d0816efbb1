CREATE OR REPLACE FUNCTION board._fire(
    who  text,
    name text)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _schedule board.task_schedules;
    _now timestamptz;
    _id uuid;
BEGIN
    -- Locks the schedule, so whoever is firing it is waited for, and what he made is seen.
    -- Touches tasks first, as every verb does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    _schedule := board._schedule_for_update(_fire.name);
    IF _schedule.overlap = 'skip' THEN
        SELECT t.id INTO _id
          FROM board.tasks AS t
         WHERE t.id = _schedule.last_task_id AND t.finished_at IS NULL;
        IF FOUND THEN
            RETURN _id;
        END IF;
    END IF;
    -- An occurrence of its own, at the moment of the clock; if that very one is there, a moment on.
    LOOP
        _now := clock_timestamp();
        _id := board._insert_occurrence(who, _fire.name, _now, _schedule.kind, _schedule.payload,
                                        _schedule.priority);
        EXIT WHEN _id IS NOT NULL;
    END LOOP;
    UPDATE board.task_schedules AS s
       SET last_task_id = _id, last_fired_at = _now
     WHERE s.name = _fire.name;
    PERFORM board._audit(who, 'fire', 'schedule:' || _fire.name,
                         jsonb_build_object('task_id', _id));
    RETURN _id;
END;
$$;

COMMENT ON FUNCTION board._fire IS
    'Private: body of fire for the checked name who.';
