CREATE OR REPLACE FUNCTION board._cron_bits(cron text)
RETURNS bit varying[]
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _fields CONSTANT text[] := board._cron_fields(cron);
    _minutes bit varying;
    _hours bit varying;
    _days bit varying;
    _months bit varying;
    _weekdays bit varying;
    _either boolean;
    _longest int;
BEGIN
    _minutes := board._cron_field(_fields[1], 'minute', 0, 59);
    _hours := board._cron_field(_fields[2], 'hour', 0, 23);
    _days := board._cron_field(_fields[3], 'day-of-month', 1, 31);
    _months := board._cron_field(_fields[4], 'month', 1, 12,
        '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}');
    _weekdays := board._cron_field(_fields[5], 'day-of-week', 0, 7,
        '{sun,mon,tue,wed,thu,fri,sat}');
    -- 7 is Sunday too.
    _weekdays := substring(_weekdays FROM 1 FOR 7)
        | (substring(_weekdays FROM 8 FOR 1) || B'000000');
    -- P. Vixie, crontab(5): a day matches when either of two restricted day fields does; a field
    -- that begins with * is not restricted, and then both have to.
    _either := left(_fields[3], 1) <> '*' AND left(_fields[5], 1) <> '*';
    -- An impossible date is one that no month chosen is long enough for.
    _longest := CASE
        WHEN position(B'1' IN _months & B'101010110101') > 0 THEN 31
        WHEN position(B'1' IN _months & B'000101001010') > 0 THEN 30
        ELSE 29
    END;
    IF NOT _either AND position(B'1' IN _days) > _longest THEN
        PERFORM board._invalid_argument('cron',
            format('names a date that never comes: "%s" in its day-of-month field with "%s" in its month field',
                   left(_fields[3], 40), left(_fields[4], 40)),
            'February has at most 29 days; April, June, September and November have 30.');
    END IF;
    RETURN ARRAY[_minutes, _hours, _days, _months, _weekdays,
                 CASE WHEN _either THEN B'1' ELSE B'0' END];
END;
$$;

COMMENT ON FUNCTION board._cron_bits IS
    'Private: a cron expression as bits: minutes 0 to 59, hours 0 to 23, days 1 to 31, months 1 to '
    '12, weekdays 0 (Sunday) to 6, and whether either day field is enough; 22023.';
