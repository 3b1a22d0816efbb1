-- Firing: each occurrence one task, what was missed, overlap, by hand. Rows are aged.
BEGIN;
SELECT plan(61);
SET LOCAL TimeZone = 'UTC';

CREATE FUNCTION pg_temp.age(schedule text, span interval) RETURNS void
LANGUAGE sql AS $$
    UPDATE board.task_schedules AS s SET next_at = s.next_at - span, last_at = s.last_at - span,
           starts_at = s.starts_at - span WHERE s.name = schedule;
$$;
CREATE FUNCTION pg_temp.tasks(schedule text, open boolean DEFAULT NULL) RETURNS bigint
LANGUAGE sql AS $$
    SELECT count(*) FROM board.tasks AS t
     WHERE t.schedule = tasks.schedule AND (t.finished_at IS NULL = open) IS NOT FALSE;
$$;
CREATE FUNCTION pg_temp.finish_all(schedule text) RETURNS bigint
LANGUAGE sql AS $$
    SELECT count(board.cancel(t.id, 'ann')) FROM board.tasks AS t
     WHERE t.schedule = finish_all.schedule AND t.finished_at IS NULL;
$$;

-- What the task carries.
DO $$ BEGIN
    PERFORM board.schedule('daily', '0 9 * * *', 'report', '{"to": "ann"}', priority => 7);
    PERFORM pg_temp.age('daily', '1 day');
END $$;
SELECT is(board.fire_due(), 1::bigint, 'fired when due');
SELECT is(board.fire_due(), 0::bigint, 'once');
SELECT results_eq($$
    SELECT t.kind::text, t.status::text, t.priority, t.payload, t.schedule,
           t.scheduled_for = s.last_at,
           t.correlation_id = 'daily@' || to_char(s.last_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
           t.id = s.last_task_id
      FROM board.tasks AS t JOIN board.task_schedules AS s ON s.name = t.schedule
$$, $$ VALUES ('report', 'pending', 7, '{"to": "ann"}'::jsonb, 'daily', true, true, true) $$,
    'a task that names its occurrence');
SELECT results_eq($$
    SELECT e.type::text, e.actor, e.payload ->> 'to', e.payload ->> 'schedule',
           (e.payload ->> 'scheduled_for')::timestamptz = t.scheduled_for
      FROM board.task_events AS e JOIN board.tasks AS t ON t.id = e.task_id
$$, $$ VALUES ('enqueued', 'schedule:daily', 'ann', 'daily', true) $$, 'and so does the event');
SELECT is((SELECT h.what FROM board.history AS h),
    (SELECT 'schedule:daily put it on the board as report for '
            || to_char(t.scheduled_for, 'YYYY-MM-DD HH24:MI:SS') FROM board.tasks AS t),
    'told by the history');
SELECT results_eq($$
    SELECT s.last_status::text, s.last_occurrence = s.next_occurrence - interval '1 day',
           s.overdue_since FROM board.schedules AS s
$$, $$ VALUES ('pending', true, NULL::timestamptz) $$, 'and by the view');
DO $$ BEGIN PERFORM board.unschedule('daily', 'ann'); END $$;

-- Missed: one for all, the last of them.
DO $$ BEGIN
    PERFORM board.schedule('one', '@hourly', 'k');
    PERFORM pg_temp.age('one', '100 days');
END $$;
SELECT is(board.fire_due(), 1::bigint, 'one: 2,400 missed, one task');
SELECT is((SELECT t.scheduled_for FROM board.tasks AS t WHERE t.schedule = 'one'),
    date_trunc('hour', clock_timestamp()), 'for the last one');
SELECT is((SELECT s.next_occurrence::timestamptz FROM board.schedules AS s WHERE s.name = 'one'),
    date_trunc('hour', clock_timestamp()) + interval '1 hour', 'and it goes on');

-- Missed: each.
DO $$ BEGIN
    PERFORM board.schedule('all', '@hourly', 'k', missed => 'all', overlap => 'allow');
    PERFORM pg_temp.age('all', '5 hours');
END $$;
SELECT is(board.fire_due(), 5::bigint, 'all: a task for each');
SELECT is((SELECT array_agg(t.scheduled_for ORDER BY t.scheduled_for) FROM board.tasks AS t
            WHERE t.schedule = 'all'),
    ARRAY(SELECT date_trunc('hour', clock_timestamp()) - h * interval '1 hour'
            FROM generate_series(4, 0, -1) AS h), 'each for its own moment');
SELECT is(board.fire_due(), 0::bigint, 'and no more');
DO $$ BEGIN PERFORM pg_temp.age('all', '3000 hours'); END $$;
SELECT is(board.fire_due(), 1000::bigint, 'a thousand per call');
SELECT ok((SELECT s.overdue_since IS NOT NULL FROM board.schedules AS s WHERE s.name = 'all'),
    'it is still due');
SELECT is(board.fire_due(), 1000::bigint, 'and goes on where it was');
SELECT is(board.fire_due(), 995::bigint,
    'to the end, but for the five that had their task');
SELECT is(pg_temp.tasks('all'), 3000::bigint, 'each once');

-- Missed: none.
DO $$ BEGIN
    PERFORM board.schedule('none', '@hourly', 'k', missed => 'none');
    PERFORM board.schedule('prompt', '@every 1 hour', 'k', missed => 'none');
    PERFORM pg_temp.age('none', '5 hours');
    UPDATE board.task_schedules SET next_at = date_trunc('hour', clock_timestamp()) - interval '3 hours'
     WHERE name = 'none';
    -- The last occurrence is not a moment ago, whenever this runs.
    UPDATE board.task_schedules SET cron = '30 * * * *', next_at = clock_timestamp() - interval '5 hours'
     WHERE name = 'none' AND extract(minute FROM clock_timestamp()) < 3;
    UPDATE board.task_schedules SET next_at = clock_timestamp() - interval '1 minute'
     WHERE name = 'prompt';
END $$;
SELECT is(board.fire_due(), 1::bigint, 'none: only what is found in time');
SELECT is(pg_temp.tasks('none'), 0::bigint, 'nothing of what was missed');
SELECT is(pg_temp.tasks('prompt'), 1::bigint, 'a minute is in time');
SELECT is((SELECT s.skip_reason FROM board.schedules AS s WHERE s.name = 'none'), 'late',
    'the view says why not');
SELECT ok((SELECT s.next_occurrence > clock_timestamp() FROM board.schedules AS s
            WHERE s.name = 'none'), 'and it goes on');

-- Overlap: skip.
DO $$ BEGIN PERFORM pg_temp.age('one', '1 hour'); END $$;
SELECT is(board.fire_due(), 0::bigint, 'skip: no second task while the last is open');
SELECT is((SELECT s.skip_reason FROM board.schedules AS s WHERE s.name = 'one'), 'open',
    'the view says why');
SELECT ok((SELECT s.next_occurrence > clock_timestamp() FROM board.schedules AS s
            WHERE s.name = 'one'), 'the occurrence is over');
DO $$ BEGIN
    PERFORM board.fail(t.id, 'a', permanent => true) FROM board.claim('a', kinds => '{k}') AS t
     WHERE t.schedule = 'one';
    UPDATE board.tasks SET status = 'escalated' WHERE schedule = 'one';
    PERFORM pg_temp.age('one', '1 hour');
END $$;
SELECT is(board.fire_due(), 0::bigint, 'in the human queue it is open too');
SELECT is(pg_temp.finish_all('one'), 1::bigint, 'when it is finished');
-- The occurrence of this hour has had its turn; the hour before is free.
DO $$ BEGIN PERFORM pg_temp.age('one', '200 days'); END $$;
UPDATE board.task_schedules SET ends_at = date_trunc('hour', clock_timestamp()) - interval '3 hours'
 WHERE name = 'one';
SELECT is(board.fire_due(), 1::bigint, 'there is another one');
SELECT is((SELECT t.scheduled_for FROM board.tasks AS t
            WHERE t.schedule = 'one' AND t.finished_at IS NULL),
    date_trunc('hour', clock_timestamp()) - interval '3 hours', 'not after ends_at');
SELECT is((SELECT s.next_occurrence::timestamptz FROM board.schedules AS s WHERE s.name = 'one'),
    NULL, 'and that was the last');
DO $$ BEGIN PERFORM board.unschedule('one', 'ann'); END $$;

-- Overlap skip with missed all: one after the other.
DO $$ BEGIN
    PERFORM board.schedule('turns', '@hourly', 'k', missed => 'all');
    PERFORM pg_temp.age('turns', '3 hours');
END $$;
SELECT is(board.fire_due(), 1::bigint, 'all and skip: the first');
SELECT is(board.fire_due(), 0::bigint, 'the second waits');
SELECT ok((SELECT s.overdue_since = s.last_occurrence + interval '1 hour' FROM board.schedules AS s
            WHERE s.name = 'turns'), 'and is overdue');
SELECT is(pg_temp.finish_all('turns'), 1::bigint, 'when the first is finished');
SELECT is(board.fire_due(), 1::bigint, 'it comes');
SELECT is(pg_temp.finish_all('turns'), 1::bigint, 'and so');
SELECT is(board.fire_due(), 1::bigint, 'to the third');
SELECT is(board.fire_due(), 0::bigint, 'and last');
SELECT is(pg_temp.tasks('turns'), 3::bigint, 'three of three');
DO $$ BEGIN PERFORM board.unschedule('turns', 'ann'); END $$;

-- The clock steps back by a day: what has been fired is not fired again.
DO $$ BEGIN
    PERFORM board.schedule('clock', '@hourly', 'k', overlap => 'allow');
    UPDATE board.task_schedules SET last_at = date_trunc('hour', clock_timestamp()) + interval '1 day',
           next_at = date_trunc('hour', clock_timestamp()) + interval '25 hours' WHERE name = 'clock';
END $$;
SELECT is(board.fire_due(), 0::bigint, 'nothing is due for a day');
SELECT is(board.schedule('clock', '@hourly', 'other', overlap => 'allow'),
    date_trunc('hour', clock_timestamp()) + interval '25 hours', 'nor after it is configured again');
DO $$ BEGIN PERFORM board.unschedule('clock', 'ann'); END $$;

-- Removed and made again, or a row that somebody has put back: the index holds each occurrence.
SELECT is(pg_temp.tasks('all', true), 3000::bigint, '3000 tasks');
DO $$ BEGIN
    PERFORM board.unschedule('all', 'ann');
    PERFORM board.schedule('all', '@hourly', 'k', missed => 'all', overlap => 'allow');
    PERFORM pg_temp.age('all', '3 hours');
END $$;
SELECT is(board.fire_due(), 0::bigint, 'an occurrence that has a task gets no second one');
SELECT is(pg_temp.tasks('all', true), 3000::bigint, 'there are as many as before');
SELECT throws_ok($$
    INSERT INTO board.tasks (kind, schedule, scheduled_for)
    SELECT t.kind, t.schedule, t.scheduled_for FROM board.tasks AS t
     WHERE t.schedule = 'all' LIMIT 1
$$, '23505', NULL, 'not even by hand');

-- By hand.
SELECT ok(board.fire('none', 'maria') IS NOT NULL, 'fired by hand');
SELECT is(board.fire('none', 'maria'), (SELECT s.last_task_id FROM board.schedules AS s
                                         WHERE s.name = 'none'), 'skip: the one that is open');
SELECT is(pg_temp.tasks('none'), 1::bigint, 'there is one');
SELECT ok((SELECT s.next_occurrence > clock_timestamp() FROM board.schedules AS s
            WHERE s.name = 'none'), 'occurrences go on');
SELECT is((SELECT e.actor FROM board.task_events AS e JOIN board.tasks AS t ON t.id = e.task_id
            WHERE t.schedule = 'none'), 'maria', 'the event has who');
SELECT is((SELECT l.actor FROM board.audit_log AS l WHERE l.action = 'fire'), 'maria',
    'and so has the audit log, once');
SELECT isnt(board.fire('all', 'maria'), board.fire('all', 'maria'), 'allow: as often as one likes');
SELECT lives_ok($$
    SELECT board.pause('schedule:all', 'ann'), board.fire('all', 'ann') $$, 'also while it is paused');
SELECT throws_ok($$ SELECT board.fire('nothing', 'maria') $$, '22023',
    'invalid value for argument "name"', 'of no schedule');
SELECT throws_ok($$ SELECT board.fire('all', '') $$, '22023',
    'invalid value for argument "actor"', 'by nobody');

-- A schedule is as its kind is.
DO $$ BEGIN
    PERFORM board.pause('kind:held', 'ann');
    PERFORM board.schedule('held', '@hourly', 'held');
    PERFORM pg_temp.age('held', '2 hours');
END $$;
SELECT is(board.fire_due(), 1::bigint, 'of a paused kind: its task is made');
SELECT is_empty($$ SELECT * FROM board.claim('a', kinds => '{held}') $$, 'and withheld as any other');
DO $$ BEGIN PERFORM board.resume('kind:held', 'ann'); END $$;
SELECT is((SELECT t.schedule FROM board.claim('a', kinds => '{held}') AS t), 'held',
    'until the kind is resumed');
DO $$ BEGIN
    PERFORM board.configure_kind('dry', mode => 'dry_run');
    PERFORM board.schedule('dry', '@hourly', 'dry');
    PERFORM pg_temp.age('dry', '1 hour');
    PERFORM board.fire_due();
END $$;
SELECT is((SELECT c.decision
             FROM board.claim('a', kinds => '{dry}') AS t,
                  LATERAL board.begin_call(t.id, 'a', 'send', request => '{}') AS c),
    'suppress', 'of a kind in dry-run: its calls are suppressed');
SELECT is((SELECT board.record_actual('dry', t.correlation_id, 'send', '{}') IS NOT NULL
             FROM board.tasks AS t WHERE t.schedule = 'dry'), true,
    'and compared with what the old automation did for that occurrence');

-- Order of firing: what is due longest, then the higher priority.
DO $$ BEGIN
    PERFORM board.schedule('z' || n, '0 0 1 1 *', 'order', priority => n)
       FROM generate_series(1, 3) AS n;
    UPDATE board.task_schedules SET next_at = '2020-01-01', last_at = NULL WHERE kind = 'order';
    PERFORM board._fire_due(2);
END $$;
SELECT is((SELECT array_agg(t.schedule ORDER BY t.schedule) FROM board.tasks AS t
            WHERE t.kind = 'order'), '{z2,z3}'::text[], 'of one moment the more urgent first');

SELECT * FROM finish();
ROLLBACK;
