CREATE OR REPLACE FUNCTION board._budget_state(
    counts    bigint[],
    period    interval,
    instant   bigint,
    clock_at  timestamptz,
    max_units bigint,
    needed    bigint,
    at        timestamptz,
    OUT used  bigint,
    OUT delay bigint)
RETURNS record
LANGUAGE plpgsql
IMMUTABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now record;
    _count bigint;
    _fit int := 0;
    _width bigint;
BEGIN
    -- A definer, and so a function that the readers of the view may call, without what it calls.
    used := 0;
    delay := CASE WHEN needed <= max_units THEN 0 END;
    IF counts IS NULL THEN
        RETURN;
    END IF;
    _now := board._slide_window(counts, period, instant, clock_at, at);
    -- The _fit newest sub-windows leave room for what is needed. Time must push the other 65 - _fit
    -- off the end, one with the beginning of each new sub-window.
    FOREACH _count IN ARRAY _now.new_counts LOOP
        used := used + _count;
        IF used + needed <= max_units THEN
            _fit := _fit + 1;
        END IF;
    END LOOP;
    IF _fit < 65 THEN
        _width := board._sub_window(period);
        delay := delay + (_now.new_instant / _width + 65 - _fit) * _width - _now.new_instant;
    END IF;
END;
$$;

COMMENT ON FUNCTION board._budget_state IS
    'Private: units that count at that moment, and microseconds until what is needed fits if '
    'nobody else takes (0: it fits now; NULL: it never does). counts NULL: nothing used.';
