CREATE OR REPLACE FUNCTION board._remember_walk(
    kinds      text[],
    walked     bigint,
    rank       int,
    created_at timestamptz,
    id         uuid,
    due        timestamptz)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _key text := coalesce(hashtextextended(kinds::text, 0), 0)::text;
    _part text[] := string_to_array(current_setting('board.walk', true), ';');
    _now bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
    _noted bigint;
BEGIN
    -- Dead entries pile up at the head of the ready index, and in the due index at the moments when
    -- leases that ended well would have lapsed, while vacuum lags or an old snapshot is held; every
    -- claim would walk all of them. Only when a walk went over many entries (counted, not timed: a
    -- busy machine is no reason) and there are many dead rows is its end noted, for a second. A
    -- place that was noted already is moved on, its time is not.
    IF cardinality(_part) IS DISTINCT FROM 3 OR _part[1] <> _key THEN
        _part := ARRAY[_key, '0:0:0:00000000-0000-0000-0000-000000000000', '0'];
    END IF;
    _noted := substring(_part[2] FROM '^([0-9]{1,16}):')::bigint;
    IF (rank IS NOT NULL AND _noted BETWEEN _now - 1000000 AND _now) IS NOT TRUE THEN
        IF walked <= 1000 OR pg_stat_get_dead_tuples('board.tasks'::regclass) < 5000 THEN
            PERFORM board._forget_walk();
            RETURN;
        END IF;
        _noted := _now;
    END IF;
    IF rank BETWEEN -99999999 AND 99999999
       AND created_at BETWEEN '1971-01-01' AND '2200-01-01' THEN
        _part[2] := format('%s:%s:%s:%s', _noted, rank,
                           (extract(epoch FROM created_at) * 1000000)::bigint, id);
    END IF;
    IF due IS NOT NULL AND _noted = _now THEN
        _part[3] := (extract(epoch FROM due) * 1000000)::bigint::text;
    END IF;
    PERFORM set_config('board.walk', array_to_string(_part, ';'), false);
END;
$$;

COMMENT ON FUNCTION board._remember_walk IS
    'Private: notes in this session where a walk for these kinds ended that went over so many index '
    'entries: at the task that was taken last, or with nothing due by that moment. Forgets what it '
    'knew when that has become old and the walk was short.';
