-- fail, release, escalate: strikes, delays, the way to the human queue.
BEGIN;
SELECT plan(32);
CREATE FUNCTION pg_temp.take(kind text) RETURNS uuid LANGUAGE sql
    AS $f$ SELECT c.id FROM board.claim('a', kinds => ARRAY[kind]) AS c $f$;
CREATE TEMP TABLE ids AS SELECT board.enqueue('k') AS id;
DO $$ BEGIN PERFORM pg_temp.take('k'); END $$;
SELECT is(board.fail(id, 'a', '{"e": 1}'), 'pending', 'the first strike') FROM ids;
DO $$ BEGIN PERFORM pg_temp.take('k'); END $$;
SELECT is(board.fail(id, 'a', '{"e": 2}'), 'pending', 'the second') FROM ids;
DO $$ BEGIN PERFORM pg_temp.take('k'); END $$;
SELECT is(board.fail(id, 'a', '{"e": 3}'), 'escalated', 'the third escalates') FROM ids;
SELECT results_eq($$SELECT t.status::text, t.failure_count, t.last_failure, t.escalation_reason,
    t.leased_by FROM board.tasks AS t JOIN ids USING (id)$$,
    $$VALUES ('escalated', 3, '{"e": 3}'::jsonb, 'failures', NULL::text)$$, 'the row');
SELECT results_eq($$SELECT e.type::text, e.attempt, e.payload -> 'e',
    e.payload ->> 'reason' FROM board.task_events AS e JOIN ids ON ids.id = e.task_id
       WHERE e.type <> 'claimed' ORDER BY e.seq$$,
    $$VALUES ('enqueued', 0, NULL::jsonb, NULL), ('failed', 1, '1', NULL),
        ('failed', 2, '2', NULL), ('failed', 3, '3', NULL), ('escalated', 3, NULL, 'failures')$$,
    'three strikes and one escalation in the log');
SELECT is(pg_temp.take('k'), NULL, 'agents do not get it any more');
SELECT throws_ok(format($$SELECT board.fail(%L, 'a')$$, id), 'TB001', 'lease lost',
    'nobody holds it') FROM ids;

DO $$ BEGIN PERFORM board.configure_kind('slow', retry_delay => '10 seconds',
    retry_delay_max => '25 seconds', max_failures => 5); END $$;
CREATE TEMP TABLE slow AS SELECT board.enqueue('slow') AS id;
DO $$ BEGIN PERFORM pg_temp.take('slow'); END $$;
SELECT is(board.fail(id, 'a'), 'scheduled', 'with a retry delay: scheduled') FROM slow;
SELECT ok(t.run_at - clock_timestamp() BETWEEN '9 seconds'
    AND '10 seconds', 'after 10 seconds') FROM board.tasks AS t JOIN slow USING (id);
UPDATE board.tasks SET run_at = clock_timestamp() WHERE kind = 'slow';
DO $$ BEGIN PERFORM pg_temp.take('slow'); PERFORM board.fail((SELECT id FROM slow), 'a'); END $$;
SELECT ok(t.run_at - clock_timestamp() BETWEEN '19 seconds'
    AND '20 seconds', 'doubled') FROM board.tasks AS t JOIN slow USING (id);
UPDATE board.tasks SET run_at = clock_timestamp() WHERE kind = 'slow';
DO $$ BEGIN PERFORM pg_temp.take('slow'); PERFORM board.fail((SELECT id FROM slow), 'a'); END $$;
SELECT ok(t.run_at - clock_timestamp() BETWEEN '24 seconds'
    AND '25 seconds', 'up to the longest') FROM board.tasks AS t JOIN slow USING (id);
UPDATE board.tasks SET run_at = clock_timestamp() WHERE kind = 'slow';
DO $$ BEGIN PERFORM pg_temp.take('slow'); END $$;
SELECT is(board.fail(id, 'a', retry_in => '0'), 'pending', 'retry_in says otherwise') FROM slow;
SELECT is(board._backoff(1000, '1 second', '10 years'),
    make_interval(secs => extract(epoch FROM interval '10 years')::float8),
        'a thousand strikes overflow nothing');
SELECT is(board._backoff(3, '1 minute', '1 second'), interval '1 minute',
    'a longest wait below the first does not shorten it');

CREATE TEMP TABLE perm AS SELECT board.enqueue('perm') AS id;
DO $$ BEGIN PERFORM pg_temp.take('perm'); END $$;
SELECT is(board.fail(id, 'a', permanent => true), 'escalated',
    'permanent escalates at once') FROM perm;
SELECT is(t.escalation_reason, 'permanent', 'and says why') FROM board.tasks
    AS t JOIN perm USING (id);

CREATE TEMP TABLE rel AS SELECT board.enqueue('rel') AS id;
DO $$ BEGIN PERFORM pg_temp.take('rel'); END $$;
SELECT is(board.release(id, 'a'), 'pending', 'release: pending') FROM rel;
DO $$ BEGIN PERFORM pg_temp.take('rel'); END $$;
SELECT is(board.release(id, 'a', '1 minute', 2), 'scheduled', 'with a delay: scheduled') FROM rel;
SELECT is(t.failure_count, 0, 'without a strike') FROM board.tasks AS t JOIN rel USING (id);
SELECT throws_ok(format($$SELECT board.release(%L, 'a')$$, id), 'TB001', 'lease lost',
    'release twice') FROM rel;
SELECT throws_ok($$SELECT board.release(gen_random_uuid(), 'a')$$, 'TB002', 'task not found',
    'no such task');
SELECT throws_ok($$SELECT board.release(gen_random_uuid(), 'a', '-1 s')$$, '22023',
    'invalid value for argument "delay"', 'delay negative');
SELECT throws_ok($$SELECT board.release(gen_random_uuid(), 'a', NULL)$$, '22023',
    'invalid value for argument "delay"', 'delay NULL');

CREATE TEMP TABLE esc AS SELECT board.enqueue('esc') AS id;
DO $$ BEGIN PERFORM pg_temp.take('esc'); END $$;
SELECT throws_ok(format($$SELECT board.escalate(%L, 'b')$$, id), 'TB001', 'lease lost',
    'escalate by another') FROM esc;
SELECT is(board.escalate(id, 'a', '{"q": "?"}', 1), 'escalated', 'escalate by the holder') FROM esc;
SELECT results_eq($$SELECT t.escalation_reason, t.last_failure,
    t.failure_count FROM board.tasks AS t JOIN esc USING (id)$$,
    $$VALUES ('requested', '{"q": "?"}'::jsonb, 0)$$, 'with its question, without a strike');
SELECT throws_ok($$SELECT board.escalate(gen_random_uuid(), 'a')$$, 'TB002', 'task not found',
    'no such task');
SELECT throws_ok($$SELECT board.fail(gen_random_uuid(), 'a')$$, 'TB002', 'task not found',
    'no such task');
SELECT throws_ok($$SELECT board.fail(gen_random_uuid(), 'a', retry_in => '-1 s')$$, '22023',
    'invalid value for argument "retry_in"', 'retry_in negative');
SELECT throws_ok($$SELECT board.fail(gen_random_uuid(), 'a', permanent => NULL)$$, '22023',
    'invalid value for argument "permanent"', 'permanent NULL');

DO $$ BEGIN PERFORM board.configure_kind('lapsing', max_lapses => 3); END $$;
CREATE TEMP TABLE lap AS SELECT board.enqueue('lapsing') AS id;
DO $$ BEGIN
    FOR n IN 1 .. 3 LOOP
        PERFORM board.claim('a', kinds => ARRAY['lapsing']);
        UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 s'
            WHERE kind = 'lapsing';
    END LOOP;
    PERFORM board.claim('a', kinds => ARRAY['lapsing']);
END $$;
SELECT results_eq($$SELECT t.status::text, t.lapse_count,
    t.escalation_reason FROM board.tasks AS t JOIN lap USING (id)$$,
    $$VALUES ('escalated', 3, 'lapses')$$, 'max_lapses: the third lapse escalates');
SELECT is(
    (SELECT count(*) FILTER (WHERE e.type = 'expired') * 10 + count(*) FILTER (
        WHERE e.type = 'escalated')
             FROM board.task_events AS e JOIN lap ON lap.id = e.task_id), 31::bigint,
                 'three lapses, one escalation');

SELECT * FROM finish();
ROLLBACK;
