-- A cron expression in words, as board.schedules tells it.
BEGIN;
SELECT plan(16);

SELECT is(board._cron_in_words(c.cron), c.words, c.cron)
  FROM (VALUES
    ('0 9 * * 1-5', 'every weekday at 09:00'),
    ('@every 90 minutes', 'every 90 minutes'),
    ('@every 1 day', 'every day'),
    ('* * * * *', 'every minute'),
    ('*/10 * * * *', 'every 10 minutes'),
    ('*/25 * * * *', 'at minutes 0, 25 and 50 of every hour'),
    ('0 */2 * * *', 'every 2 hours'),
    ('@hourly', 'every hour'),
    ('*/15 8-18 * * mon-fri', 'every 15 minutes of the hours 8 to 18 every weekday'),
    ('* 9 * * *', 'every minute of the hour 9'),
    ('0 9,17 * * 6,0', 'every Saturday and Sunday at 09:00 and 17:00'),
    ('30 8 1,15 * *', 'on days 1 and 15 of the month at 08:30'),
    ('@yearly', 'on day 1 of January at 00:00'),
    ('0 0 13 * fri', 'on day 13 of the month and every Friday at 00:00'),
    ('0 0 */31 * mon', 'on day 1 of the month if that is a Monday at 00:00'),
    ('0 3 * 6-8 sun', 'every Sunday in June to August at 03:00')
  ) AS c (cron, words);

SELECT * FROM finish();
ROLLBACK;
