CREATE OR REPLACE FUNCTION board.next_occurrence(
    cron     text,
    after    timestamptz,
    timezone text DEFAULT 'UTC')
RETURNS timestamptz
LANGUAGE plpgsql
IMMUTABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Reads no table of the board. A day and more is added to the moment on the way: what lies near
    -- the ends of PostgreSQL's own calendar would be an overflow there.
    PERFORM board._check_timezone(next_occurrence.timezone);
    IF (after >= '0001-01-02 00:00+00' AND after < '10000-01-02 00:00+00') IS NOT TRUE THEN
        PERFORM board._invalid_argument('after', coalesce('is ' || CASE
            WHEN isfinite(after) THEN format(
                'in the year %s', extract(year FROM after AT TIME ZONE 'UTC'))
            WHEN after < '2000-01-01 00:00+00' THEN '-infinity' ELSE 'infinity' END, 'is NULL'),
            'Pass a moment of the years 1 to 9999.');
    END IF;
    RETURN board._next_occurrence(next_occurrence.cron, next_occurrence.after,
                                  next_occurrence.timezone);
END;
$$;

COMMENT ON FUNCTION board.next_occurrence IS
$$Tells when a cron expression comes next, after that moment; NULL when it does not before the year
10000. Pure: it reads no table, no clock and no setting of the session.

cron      five fields: minute (0-59), hour (0-23), day of the month (1-31), month (1-12, jan-dec),
          day of the week (0-7, sun-sat; 0 and 7 are Sunday). In a field: * or a value or a range
          (1-5), each with a step (*/15, 8-18/2; 5/20 goes from 5 to the end), and lists of those
          (0,30). If both day fields are restricted, either is enough; one that begins with * is not
          restricted. Or @hourly, @daily, @weekly, @monthly, @yearly. Or @every with a span of time,
          as in @every 10 minutes: that long after "after"
after     timestamptz
timezone  name of the IANA time zone whose clock the fields are about, as in Europe/Berlin

A local time fires at the first moment at which the zone's clock shows it or a later one. So a time
that a clock change skips fires once, at the first moment after the gap, and one that comes twice
fires once, the first time. @every counts real time and does not know of clock changes.

Errors: 22023 for an expression that is none (the detail names the field), a date that never comes,
or an unknown zone.
Example: SELECT board.next_occurrence('0 9 * * 1-5', '2026-11-30 12:00+00', 'Europe/Berlin');
Rules: P. Vixie, crontab(5).$$;
