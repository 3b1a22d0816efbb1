CREATE OR REPLACE FUNCTION board._clock_change(
    timezone text,
    low      timestamp,
    high     timestamp)
RETURNS timestamp
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _low timestamp := date_trunc('second', low);
    _high timestamp := date_trunc('second', high) + interval '1 second';
    _middle timestamp;
    _shift interval := _low AT TIME ZONE 'UTC' AT TIME ZONE timezone - _low;
BEGIN
    -- Halves the span until a second is left. Changes are days apart at the least, so there is one.
    WHILE _high - _low > interval '1 second' LOOP
        _middle := date_trunc('second', _low + (_high - _low) / 2);
        IF _middle AT TIME ZONE 'UTC' AT TIME ZONE timezone - _middle = _shift THEN
            _low := _middle;
        ELSE
            _high := _middle;
        END IF;
    END LOOP;
    RETURN _high;
END;
$$;

COMMENT ON FUNCTION board._clock_change IS
    'Private: the second after low, up to high (both in UTC), at which the zone''s clock is changed; '
    'it is known that it is.';
