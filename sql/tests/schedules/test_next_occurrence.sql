-- next_occurrence: what an expression means, and what is refused. tests/test_schedules.py holds it
-- against a library on 20,000 random cases.
BEGIN;
SELECT plan(108);
SET LOCAL TimeZone = 'UTC';

-- The next and the one after it.
SELECT is(board.next_occurrence(c.cron, c.after::timestamptz, c.zone), c.next::timestamptz, format(
    '%s after %s in %s', c.cron, c.after, c.zone))
  FROM (VALUES
    -- fields
    ('* * * * *', '2026-11-30 12:00', 'UTC', '2026-11-30 12:01'),
    ('* * * * *', '2026-11-30 12:00:59.999999', 'UTC', '2026-11-30 12:01'),
    ('0 9 * * 1-5', '2026-11-27 09:00', 'UTC', '2026-11-30 09:00'),
    ('0 9 * * MON-fri', '2026-11-27 08:59', 'UTC', '2026-11-27 09:00'),
    ('  0	9 * * Mon ', '2026-11-27 09:00', 'UTC', '2026-11-30 09:00'),
    ('*/15 8-18/5 * * *', '2026-11-30 08:45', 'UTC', '2026-11-30 13:00'),
    ('5/20 * * * *', '2026-11-30 08:25', 'UTC', '2026-11-30 08:45'),
    ('5/20 * * * *', '2026-11-30 08:45', 'UTC', '2026-11-30 09:05'),
    ('1,5-7,50/4 0 1 1 *', '2026-01-01 00:07', 'UTC', '2026-01-01 00:50'),
    ('1,5-7,50/4 0 1 1 *', '2026-01-01 00:58', 'UTC', '2027-01-01 00:01'),
    ('0 0 1 JAN,jul *', '2026-01-01', 'UTC', '2026-07-01'),
    ('0 0 * * 7', '2026-11-30', 'UTC', '2026-12-06'),
    ('0 0 * * 0', '2026-11-30', 'UTC', '2026-12-06'),
    ('0 0 * * 5-7', '2026-12-05', 'UTC', '2026-12-06'),
    ('0 0 * * fri-sun', '2026-12-06', 'UTC', '2026-12-11'),
    ('0 0 * * sun-tue', '2026-12-01', 'UTC', '2026-12-06'),
    ('0 0 * * sun-sun', '2026-12-06', 'UTC', '2026-12-13'),
    ('59 23 31 12 *', '2026-12-31 23:58:59', 'UTC', '2026-12-31 23:59'),
    ('59 23 31 12 *', '2026-12-31 23:59', 'UTC', '2027-12-31 23:59'),
    -- names
    ('@hourly', '2026-11-30 12:00', 'UTC', '2026-11-30 13:00'),
    ('@daily', '2026-11-30 12:00', 'UTC', '2026-12-01'),
    ('@Midnight', '2026-11-30 12:00', 'UTC', '2026-12-01'),
    ('@weekly', '2026-11-30 12:00', 'UTC', '2026-12-06'),
    ('@monthly', '2026-11-30 12:00', 'UTC', '2026-12-01'),
    ('@yearly', '2026-11-30 12:00', 'UTC', '2027-01-01'),
    ('@ANNUALLY', '2026-11-30 12:00', 'UTC', '2027-01-01'),
    -- @every: that long after, whatever the clocks do
    ('@every 10 minutes', '2026-11-30 12:00:07.5', 'UTC', '2026-11-30 12:10:07.5'),
    ('@every 1h30m', '2026-11-30 12:00', 'UTC', '2026-11-30 13:30'),
    ('@every 1 hour 30 min 5 s', '2026-11-30 12:00', 'UTC', '2026-11-30 13:30:05'),
    ('@every 1 day', '2026-03-28 12:00', 'Europe/Berlin', '2026-03-29 12:00'),
    ('@EVERY 2 Weeks', '2026-11-30 12:00', 'UTC', '2026-12-14 12:00'),
    -- either day field, or both when one of them begins with *
    ('0 0 13 * fri', '2026-11-30', 'UTC', '2026-12-04'),
    ('0 0 13 * fri', '2026-12-12', 'UTC', '2026-12-13'),
    ('0 0 13 * *', '2026-11-30', 'UTC', '2026-12-13'),
    ('0 0 * * fri', '2026-12-12', 'UTC', '2026-12-18'),
    ('0 0 */31 * mon', '2026-11-30', 'UTC', '2027-02-01'),
    ('0 0 1 * */7', '2026-11-30', 'UTC', '2027-08-01'),
    -- 29 February
    ('0 0 29 2 *', '2026-01-01', 'UTC', '2028-02-29'),
    ('0 0 29 2 *', '2096-02-29', 'UTC', '2104-02-29'),
    ('0 0 29 2 *', '2196-03-01', 'UTC', '2204-02-29'),
    ('0 0 29 2 *', '1996-03-01', 'UTC', '2000-02-29'),
    ('0 0 29 2 */7', '2088-03-01', 'UTC', '2128-02-29'),
    ('0 0 30 2 mon', '2026-02-23', 'UTC', '2027-02-01'),
    ('0 0 31 * *', '2026-01-31', 'UTC', '2026-03-31'),
    ('0 0 30 2,4 *', '2026-01-31', 'UTC', '2026-04-30'),
    -- other zones
    ('0 9 * * *', '2026-07-01', 'Europe/Berlin', '2026-07-01 07:00'),
    ('0 9 * * *', '2026-12-01', 'Europe/Berlin', '2026-12-01 08:00'),
    ('0 0 * * *', '2026-12-01', 'Asia/Kathmandu', '2026-12-01 18:15'),
    ('0 0 1 * *', '2026-12-01 04:59', 'America/New_York', '2026-12-01 05:00'),
    ('0 0 1 * *', '2026-12-01', 'Etc/GMT-3', '2026-12-31 21:00'),
    -- a gap: 29 March 2026, 02:00 to 03:00 in Berlin, is 01:00 UTC
    ('30 2 * * *', '2026-03-28 12:00', 'Europe/Berlin', '2026-03-29 01:00'),
    ('30 2 * * *', '2026-03-29 01:00', 'Europe/Berlin', '2026-03-30 00:30'),
    ('0 2 * * *', '2026-03-28 12:00', 'Europe/Berlin', '2026-03-29 01:00'),
    ('0 3 * * *', '2026-03-28 12:00', 'Europe/Berlin', '2026-03-29 01:00'),
    ('*/20 2 * * *', '2026-03-29 00:59:59', 'Europe/Berlin', '2026-03-29 01:00'),
    ('*/20 2 * * *', '2026-03-29 01:00', 'Europe/Berlin', '2026-03-30 00:00'),
    ('*/20 * * * *', '2026-03-29 00:40', 'Europe/Berlin', '2026-03-29 01:00'),
    ('*/20 * * * *', '2026-03-29 01:00', 'Europe/Berlin', '2026-03-29 01:20'),
    -- a day that never was: 30 December 2011 in Apia
    ('0 12 30 12 *', '2011-12-29', 'Pacific/Apia', '2011-12-30 10:00'),
    ('0 12 30 12 *', '2011-12-30 10:00', 'Pacific/Apia', '2012-12-29 22:00'),
    -- half an hour skipped, and half an hour twice, on Lord Howe
    ('15 2 * * *', '2026-10-03 00:00', 'Australia/Lord_Howe', '2026-10-03 15:30'),
    ('45 1 * * *', '2026-04-04 12:00', 'Australia/Lord_Howe', '2026-04-04 14:45'),
    ('45 1 * * *', '2026-04-04 14:45', 'Australia/Lord_Howe', '2026-04-05 15:15'),
    -- twice: 25 October 2026, 02:00 to 03:00 in Berlin, is 00:00 to 01:00 and 01:00 to 02:00 UTC
    ('30 2 * * *', '2026-10-24 12:00', 'Europe/Berlin', '2026-10-25 00:30'),
    ('30 2 * * *', '2026-10-25 00:30', 'Europe/Berlin', '2026-10-26 01:30'),
    ('30 2 * * *', '2026-10-25 01:15', 'Europe/Berlin', '2026-10-26 01:30'),
    ('30 2,3 * * *', '2026-10-25 00:30', 'Europe/Berlin', '2026-10-25 02:30'),
    ('@hourly', '2026-10-25 00:00', 'Europe/Berlin', '2026-10-25 02:00'),
    ('@every 1 hour', '2026-10-25 00:00', 'Europe/Berlin', '2026-10-25 01:00'),
    -- the end of time
    ('0 0 1 1 *', '9999-01-01', 'UTC', NULL),
    ('@every 1 day', '9999-12-31', 'UTC', NULL)
  ) AS c (cron, after, zone, next);

-- What is refused points at the field.
CREATE FUNCTION pg_temp.refusal(cron text, zone text DEFAULT 'UTC') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    _detail text;
BEGIN
    PERFORM board.next_occurrence(cron, '2026-11-30 12:00', zone);
    RETURN 'nothing';
EXCEPTION
    WHEN invalid_parameter_value THEN
        GET STACKED DIAGNOSTICS _detail = PG_EXCEPTION_DETAIL;
        RETURN _detail;
END;
$$;

SELECT is(pg_temp.refusal(c.cron), c.detail, coalesce(c.cron, 'NULL'))
  FROM (VALUES
    (NULL, '"cron" is NULL.'),
    ('', '"cron" has 1 fields.'),
    ('* * * *', '"cron" has 4 fields.'),
    ('0 * * * * *', '"cron" has 6 fields.'),
    ('60 * * * *', '"cron" has "60" in its minute field, which goes from 0 to 59.'),
    ('0 24 * * *', '"cron" has "24" in its hour field, which goes from 0 to 23.'),
    ('0 0 0 * *', '"cron" has "0" in its day-of-month field, which goes from 1 to 31.'),
    ('0 0 * foo *', '"cron" has "foo" in its month field, which goes from 1 to 12.'),
    ('0 0 * * 8', '"cron" has "8" in its day-of-week field, which goes from 0 to 7.'),
    ('0 0 * * jan', '"cron" has "jan" in its day-of-week field, which goes from 0 to 7.'),
    ('mon * * * *', '"cron" has "mon" in its minute field, which goes from 0 to 59.'),
    ('0 22-2 * * *', '"cron" has "22-2" in its hour field, which runs backwards.'),
    ('*/0 * * * *', '"cron" has "*/0" in its minute field, whose steps go from 1 to 60.'),
    ('*/90 * * * *', '"cron" has "*/90" in its minute field, whose steps go from 1 to 60.'),
    ('1, * * * *', '"cron" has "" in its minute field.'),
    ('-5 * * * *', '"cron" has "-5" in its minute field.'),
    ('*-5 * * * *', '"cron" has "*-5" in its minute field.'),
    ('0 0 L * *', '"cron" has "l" in its day-of-month field.'),
    ('0 0 ? * *', '"cron" has "?" in its day-of-month field.'),
    ('99999999999 * * * *', '"cron" has "99999999999" in its minute field.'),
    ('@reboot', '"cron" is "@reboot".'),
    ('@every', '"cron" is "@every".'),
    ('@every 0 minutes', '"cron" is "@every 0 minutes".'),
    ('@every 1 month', '"cron" is "@every 1 month".'),
    ('@every -1 hour', '"cron" is "@every -1 hour".'),
    ('0 0 30 2 *', '"cron" names a date that never comes: "30" in its day-of-month field with "2" in its month field.'),
    ('0 0 31 4,6,9,nov *', '"cron" names a date that never comes: "31" in its day-of-month field with "4,6,9,nov" in its month field.')
  ) AS c (cron, detail);
SELECT is(pg_temp.refusal('* * * * *', c.zone), c.detail, coalesce(c.zone, 'NULL'))
  FROM (VALUES
    (NULL, '"timezone" is NULL.'),
    ('Europe/Nowhere', '"timezone" is "Europe/Nowhere", which this server does not know.'),
    ('CET', '"timezone" is "CET", which is no name of a place.'),
    ('Foo/Bar+3', '"timezone" is "Foo/Bar+3", which is no name of a place.'),
    ('<+03>-3', '"timezone" is "<+03>-3", which is no name of a place.')
  ) AS c (zone, detail);
SELECT throws_ok(format('SELECT board.next_occurrence(''* * * * *'', %L)', a.after), '22023',
    'invalid value for argument "after"', 'after ' || coalesce(a.after, 'NULL'))
  FROM (VALUES (NULL), ('infinity'), ('-infinity'), ('4714-11-24 00:00+00 BC'),
               ('294276-12-31 23:59+00')) AS a (after);

SELECT * FROM finish();
ROLLBACK;
