-- Whoever looks for work fires what is due, and an idle agent sleeps until then.
BEGIN;
SELECT plan(28);
SET LOCAL TimeZone = 'UTC';

CREATE FUNCTION pg_temp.make_due(schedule text) RETURNS void
LANGUAGE sql AS $$
    UPDATE board.task_schedules AS s
       SET next_at = date_trunc('hour', clock_timestamp()), last_at = NULL
     WHERE s.name = schedule;
    DELETE FROM board.tasks AS t WHERE t.schedule = make_due.schedule AND t.finished_at IS NOT NULL;
$$;
CREATE FUNCTION pg_temp.finish(agent text) RETURNS void
LANGUAGE sql AS $$
    SELECT board.complete(t.id, agent) FROM board.tasks AS t WHERE t.leased_by = agent;
$$;

-- next_due counts the next occurrence.
SELECT is(board.next_due(), NULL, 'nothing on the board');
DO $$ BEGIN PERFORM board.schedule('s', '0 0 1 1 *', 'k'); END $$;
SELECT is(board.next_due(), '2027-01-01 00:00+00', 'the next occurrence');
SELECT is(board.next_due('{k}'), '2027-01-01 00:00+00', 'of its kind');
SELECT is(board.next_due('{other}'), NULL, 'and of no other');
DO $$ BEGIN PERFORM board.enqueue('k', run_at => '2026-12-31 00:00+00'); END $$;
SELECT is(board.next_due(), '2026-12-31 00:00+00', 'what comes first');
DO $$ BEGIN PERFORM board.pause('schedule:s', 'ann'); END $$;
DO $$ BEGIN PERFORM board.cancel(t.id, 'ann') FROM board.tasks AS t; END $$;
SELECT is(board.next_due(), NULL, 'not while it is paused');
DO $$ BEGIN
    PERFORM board.resume('schedule:s', 'ann');
    PERFORM board.pause('kind:k', 'ann');
END $$;
SELECT is(board.next_due(), NULL, 'nor while its kind is');
DO $$ BEGIN
    PERFORM board.schedule('t', '0 0 1 2 *', 'special');
    PERFORM board.configure_kind('special', max_in_progress => 1);
END $$;
SELECT is(board.next_due(), '2027-02-01 00:00+00', 'of a kind with a cap too');
SELECT is(board.next_due('{special}'), '2027-02-01 00:00+00', 'asked for');
DO $$ BEGIN PERFORM board.resume('kind:k', 'ann'); END $$;
SELECT is(board.next_due(), '2027-01-01 00:00+00', 'and after resume');

-- claim fires.
DO $$ BEGIN PERFORM pg_temp.make_due('s'); END $$;
SELECT is(board.next_due() <= clock_timestamp(), true, 'due: now');
SELECT is((SELECT t.schedule FROM board.claim('a') AS t), 's', 'a claim gets its task at once');
SELECT is_empty($$ SELECT * FROM board.claim('b') $$, 'and the next one nothing');
SELECT is((SELECT count(*) FROM board.tasks AS t WHERE t.schedule = 's'), 1::bigint, 'one task');
DO $$ BEGIN PERFORM pg_temp.finish('a'); PERFORM pg_temp.make_due('s'); END $$;
SELECT is((SELECT t.schedule FROM board.claim('a', kinds => '{k}') AS t), 's',
    'so with one kind asked for');
DO $$ BEGIN PERFORM pg_temp.finish('a'); PERFORM pg_temp.make_due('s'); END $$;
SELECT is((SELECT t.schedule FROM board.claim('a', kinds => '{k,special}') AS t), 's', 'with two');
DO $$ BEGIN PERFORM pg_temp.finish('a'); PERFORM pg_temp.make_due('s'); END $$;
SELECT is((SELECT t.schedule FROM board.claim('a', max_tasks => 3) AS t), 's', 'and in a batch');
DO $$ BEGIN PERFORM pg_temp.finish('a'); PERFORM pg_temp.make_due('s'); END $$;
SELECT is_empty($$ SELECT * FROM board.claim('a', kinds => '{other}') $$,
    'who looks for another kind gets nothing');
SELECT is((SELECT t.schedule FROM board.tasks AS t WHERE t.status = 'pending'), 's',
    'and has fired it all the same');
SELECT is((SELECT t.schedule FROM board.claim('a') AS t), 's', 'for who comes');

-- What it makes competes by priority with what is there: also where claim may go the short way,
-- because no kind is special.
DO $$ BEGIN
    PERFORM pg_temp.finish('a');
    PERFORM board.configure_kind('special', reset => '{max_in_progress}');
    PERFORM board.schedule('s', '0 0 1 1 *', 'k', priority => 5);
    PERFORM pg_temp.make_due('s');
    PERFORM board.enqueue('k', priority => 4);
END $$;
SELECT is((SELECT t.schedule FROM board.claim('a') AS t), 's', 'the more urgent first');
SELECT is((SELECT t.priority FROM board.claim('a') AS t), 4, 'then the other');
DO $$ BEGIN
    PERFORM pg_temp.finish('a');
    PERFORM pg_temp.make_due('s');
    PERFORM board.enqueue('k', priority => 4);
END $$;
SELECT is((SELECT t.schedule FROM board.claim('a', kinds => '{k}') AS t), 's',
    'the more urgent first of one kind');
SELECT is((SELECT t.priority FROM board.claim('a', kinds => '{k}') AS t), 4, 'then the other');

-- What waits for an open task (missed all, overlap skip) is not called due.
DO $$ BEGIN
    PERFORM pg_temp.finish('a');
    PERFORM board.unschedule('s', 'ann');
    PERFORM board.schedule('w', '@hourly', 'wait', missed => 'all');
    UPDATE board.task_schedules SET next_at = date_trunc('hour', clock_timestamp()) - interval '1 hour'
     WHERE name = 'w';
END $$;
SELECT is((SELECT t.schedule FROM board.claim('a') AS t), 'w', 'the first of two');
SELECT is(board.next_due('{wait}') > clock_timestamp(), true,
    'the second is not due while the first is open: the end of the lease counts');
DO $$ BEGIN PERFORM pg_temp.finish('a'); END $$;
SELECT is((SELECT t.schedule FROM board.claim('a') AS t), 'w', 'then it comes');

-- A board that is paused.
DO $$ BEGIN
    PERFORM pg_temp.finish('a');
    PERFORM board.pause('board', 'ann');
    PERFORM pg_temp.make_due('t');
END $$;
SELECT is_empty($$ SELECT * FROM board.claim('a') $$, 'on a paused board there is nothing');

SELECT * FROM finish();
ROLLBACK;
