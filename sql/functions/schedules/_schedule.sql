CREATE OR REPLACE FUNCTION board._schedule(
    who       text,
    name      text,
    cron      text,
    kind      text,
    payload   jsonb,
    timezone  text,
    priority  bigint,
    missed    text,
    overlap   text,
    starts_at timestamptz,
    ends_at   timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _meaning text;
    _next timestamptz;
    _new board.task_schedules;
    _was board.task_schedules;
    _now timestamptz;
BEGIN
    PERFORM board._check_schedule(
        _schedule.name, _schedule.kind, _schedule.payload, _schedule.timezone, _schedule.priority,
        _schedule.missed, _schedule.overlap, _schedule.starts_at, _schedule.ends_at);
    _meaning := board._cron_in_words(_schedule.cron);
    -- Touches tasks first, as every verb does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;

    -- An insert, or, when there is one of that name, a change under its lock: whoever is making,
    -- firing or changing it is waited for. One that is removed between the two is made after all.
    LOOP
        _now := clock_timestamp();
        _next := board._first_occurrence(
            _schedule.cron, _schedule.timezone, _schedule.starts_at, _schedule.ends_at, _now);
        INSERT INTO board.task_schedules (name, cron, meaning, timezone, kind, payload, priority,
                                          missed, overlap, starts_at, ends_at, next_at, created_at)
        VALUES (_schedule.name, _schedule.cron, _meaning, _schedule.timezone, _schedule.kind,
                _schedule.payload, _schedule.priority, _schedule.missed, _schedule.overlap,
                _schedule.starts_at, _schedule.ends_at, _next, _now)
            ON CONFLICT ON CONSTRAINT task_schedules_pkey DO NOTHING
            RETURNING * INTO _new;
        EXIT WHEN FOUND;
        SELECT s.* INTO _was
          FROM board.task_schedules AS s
         WHERE s.name = _schedule.name
           FOR UPDATE;
        EXIT WHEN FOUND;
    END LOOP;
    IF _was.name IS NOT NULL THEN
        -- The same moments go on from where they are, so that what is due stays due. Other ones
        -- begin now, and in no case before what has been dealt with: also after the clock was put
        -- back. With @every that has no starts_at, the moments are those of its first day.
        _now := clock_timestamp();
        IF (_was.cron, _was.timezone, _was.starts_at)
           IS NOT DISTINCT FROM (_schedule.cron, _schedule.timezone, _schedule.starts_at)
        THEN
            _next := coalesce(_was.next_at, board._first_occurrence(
                _schedule.cron, _schedule.timezone, coalesce(_schedule.starts_at, CASE
                    WHEN board._cron_every(_schedule.cron) IS NOT NULL THEN _was.last_at END),
                NULL, greatest(_now, _was.last_at)));
        ELSE
            _next := board._first_occurrence(_schedule.cron, _schedule.timezone,
                _schedule.starts_at, NULL, greatest(_now, _was.last_at));
        END IF;
        UPDATE board.task_schedules AS s
           SET cron = _schedule.cron,
               meaning = _meaning,
               timezone = _schedule.timezone,
               kind = _schedule.kind,
               payload = _schedule.payload,
               priority = _schedule.priority,
               missed = _schedule.missed,
               overlap = _schedule.overlap,
               starts_at = _schedule.starts_at,
               ends_at = _schedule.ends_at,
               next_at = CASE WHEN _next > _schedule.ends_at THEN NULL ELSE _next END,
               waits_for = CASE WHEN _schedule.missed = 'all' AND _schedule.overlap = 'skip'
                   THEN s.waits_for END
         WHERE s.name = _schedule.name
           AND (s.cron, s.timezone, s.kind, s.payload, s.priority, s.missed, s.overlap,
                s.starts_at, s.ends_at)
               IS DISTINCT FROM
               (_schedule.cron, _schedule.timezone, _schedule.kind, _schedule.payload,
                _schedule.priority, _schedule.missed, _schedule.overlap,
                _schedule.starts_at, _schedule.ends_at)
        RETURNING s.* INTO _new;
        IF NOT FOUND THEN
            RETURN _was.next_at;
        END IF;
    END IF;
    PERFORM board._audit(who, 'schedule', 'schedule:' || _schedule.name, board._changed_fields(
        to_jsonb(_was), jsonb_build_object(
            'cron', _new.cron, 'timezone', _new.timezone, 'kind', _new.kind,
            'payload', _new.payload, 'priority', _new.priority, 'missed', _new.missed,
            'overlap', _new.overlap, 'starts_at', _new.starts_at, 'ends_at', _new.ends_at)));
    RETURN _new.next_at;
END;
$$;

COMMENT ON FUNCTION board._schedule IS
    'Private: body of schedule for the checked name who (NULL: the database role).';
