CREATE OR REPLACE FUNCTION board._insert_occurrence(
    who           text,
    schedule      text,
    scheduled_for timestamptz,
    kind          text,
    payload       jsonb,
    priority      int)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _new uuid := board._uuid7();
    _change jsonb := jsonb_build_object('actor', who);
    _utc timestamp := scheduled_for AT TIME ZONE 'UTC';
BEGIN
    -- Whoever fires has the schedule's row locked, so no other session inserts this occurrence.
    -- That it is there only once is held by the index tasks_occurrence as well, whatever a caller,
    -- a restored row of schedules or a clock does: then nothing is inserted.
    INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at,
                             correlation_id, schedule, scheduled_for, rank, change)
    VALUES (_new, _insert_occurrence.kind, 'pending', _insert_occurrence.priority,
            _insert_occurrence.payload, _now, _now,
            _insert_occurrence.schedule || '@' || to_char(_utc, 'YYYY-MM-DD"T"HH24:MI:SS')
                || CASE WHEN date_trunc('second', _utc) < _utc THEN to_char(_utc, '.US') ELSE '' END
                || 'Z',
            _insert_occurrence.schedule, _insert_occurrence.scheduled_for,
            ~_insert_occurrence.priority, _change)
        ON CONFLICT DO NOTHING;
    RETURN CASE WHEN FOUND THEN _new END;
END;
$$;

COMMENT ON FUNCTION board._insert_occurrence IS
    'Private: the task of one occurrence of a schedule, for the name who; NULL when there is one '
    'already. Its correlation_id names the occurrence.';
