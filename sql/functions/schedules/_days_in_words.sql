CREATE OR REPLACE FUNCTION board._days_in_words(bits bit varying[])
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _every_month CONSTANT boolean := position(B'0' IN bits[4]) = 0;
    _every_date CONSTANT boolean := position(B'0' IN bits[3]) = 0;
    _every_weekday CONSTANT boolean := position(B'0' IN bits[5]) = 0;
    _months CONSTANT text := board._bits_in_words(bits[4],
        '{January,February,March,April,May,June,July,August,September,October,November,December}');
    _dates text;
    _weekdays text;
BEGIN
    -- Dates, weekdays, and how the two go together; a field that names everything is not told.
    IF NOT _every_date THEN
        _dates := board._bits_in_words(bits[3], ARRAY(SELECT generate_series(1, 31)::text));
        _dates := format('on day%s %s of %s', CASE WHEN _dates ~ '[^0-9]' THEN 's' END, _dates,
                         CASE WHEN _every_month THEN 'the month' ELSE _months END);
    END IF;
    IF NOT _every_weekday THEN
        _weekdays := CASE bits[5]
            WHEN B'0111110' THEN 'weekday'
            ELSE board._bits_in_words(substring(bits[5] FROM 2) || substring(bits[5] FROM 1 FOR 1),
                '{Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday}')
        END;
    END IF;
    RETURN CASE
        WHEN _dates IS NOT NULL AND _weekdays IS NOT NULL AND bits[6] = B'1' THEN
            format('%s and every %s', _dates, _weekdays)
            || CASE WHEN _every_month THEN '' ELSE ' in ' || _months END
        WHEN _dates IS NOT NULL AND _weekdays IS NOT NULL THEN
            format('%s if that is a %s', _dates, _weekdays)
        WHEN _dates IS NOT NULL THEN _dates
        ELSE 'every ' || coalesce(_weekdays, 'day')
            || CASE WHEN _every_month THEN '' ELSE ' in ' || _months END
    END;
END;
$$;

COMMENT ON FUNCTION board._days_in_words IS
    'Private: on which days the bits of a cron expression fire, in words.';
