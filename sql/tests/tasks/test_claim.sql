-- claim: which task, in what order, with what lease; what it refuses.
BEGIN;
SELECT plan(24);
SELECT is_empty($$SELECT * FROM board.claim('a')$$, 'an empty board gives zero rows');
SELECT board.enqueue('low', '{"n": 1}', -2147483648);
SELECT board.enqueue('high', '{"n": 2}', 2147483647);
SELECT board.enqueue('mid', '{"n": 3}');
SELECT board.enqueue('mid', '{"n": 4}');
SELECT board.enqueue('low', '{"n": 5}', 1);
SELECT board.enqueue('later', '{"n": 6}', run_at => clock_timestamp() + '1 hour');

SELECT results_eq(
    $$SELECT (c.payload ->> 'n')::int, c.status::text, c.leased_by, c.claim_count,
             c.leased_until - c.heartbeat_at FROM board.claim('a', '90 seconds') AS c$$,
    $$VALUES (2, 'in_progress', 'a', 1, interval '90 seconds')$$,
    'the highest priority first (2147483647), with the lease asked for');
SELECT results_eq(
    $$SELECT (c.payload ->> 'n')::int FROM board.claim('a', max_tasks => 10)
        WITH ORDINALITY AS c ORDER BY c.ordinality$$,
    $$VALUES (5), (3), (4), (1)$$, 'several at once across kinds: by priority, then age');
SELECT is_empty($$SELECT * FROM board.claim('a')$$, 'what is scheduled stays');

UPDATE board.tasks SET run_at = clock_timestamp() - interval '1 second' WHERE kind = 'later';
SELECT results_eq($$SELECT (c.payload ->> 'n')::int FROM board.claim('a') AS c$$, $$VALUES (6)$$,
    'what has come due is given');
SELECT is((SELECT count(*) FROM board.task_events
    WHERE kind = 'later' AND type <> 'enqueued'), 1::bigint,
    'becoming due is no event of its own');

UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 second' WHERE kind = 'low';
SELECT results_eq(
    $$SELECT (c.payload ->> 'n')::int, c.claim_count,
        c.lapse_count FROM board.claim('b', max_tasks => 9) AS c$$,
    $$VALUES (5, 2, 1), (1, 2, 1)$$, 'lapsed leases are taken over, the attempt grows');
SELECT results_eq(
    $$SELECT e.type::text, e.actor, e.attempt, e.payload ->> 'leased_by' FROM board.task_events AS e
        JOIN board.tasks AS t ON t.id = e.task_id
       WHERE (t.payload ->> 'n')::int = 1 AND e.type IN ('expired', 'claimed') ORDER BY e.seq$$,
    $$VALUES ('claimed', 'a', 1, NULL), ('expired', 'b', 1, 'a'), ('claimed', 'b', 2, NULL)$$,
    'the lapse is logged, once');

SELECT board.enqueue_many('flood', ARRAY(SELECT '{}'::jsonb FROM generate_series(1, 150)));
SELECT board.enqueue('urgent', '{}', 9);
SELECT is(
    (SELECT count(*) FROM board.claim('a', kinds => ARRAY['urgent', 'urgent', 'unheard of'])),
        1::bigint,
    'kinds: only those, whatever is said twice or unknown');
SELECT is_empty($$SELECT * FROM board.claim('a', kinds => '{}')$$,
    'no kind asked for, nothing given');
SELECT is((SELECT count(*) FROM board.claim('a', kinds => ARRAY['flood'], max_tasks => 149)),
    149::bigint,
    'as many as asked for');
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 second'
    WHERE kind = 'flood' AND leased_by = 'a';
SELECT is((SELECT count(*) FROM board.claim('b', kinds => ARRAY['flood'], max_tasks => 150)),
    150::bigint,
    'more lapsed tasks than one batch: promotion goes on until the claim is full');

SELECT throws_ok($$SELECT board.claim(NULL)$$, '22023', 'invalid value for argument "agent"',
    'agent NULL');
SELECT throws_ok($$SELECT board.claim('')$$, '22023', 'invalid value for argument "agent"',
    'agent empty');
SELECT throws_ok($$SELECT board.claim(E'a\nb')$$, '22023', 'invalid value for argument "agent"',
    'agent with a line break');
SELECT throws_ok($$SELECT board.claim('a', '8 days')$$, '22023',
    'invalid value for argument "ttl"', 'ttl longer than settings.max_ttl');
SELECT throws_ok($$SELECT board.claim('a', '-178000000 years')$$, '22023',
    'invalid value for argument "ttl"', 'ttl before the beginning of time');
SELECT throws_ok($$SELECT board.claim('a', '0')$$, '22023', 'invalid value for argument "ttl"',
    'ttl 0');
SELECT throws_ok($$SELECT board.claim('a', '-1 second')$$, '22023',
    'invalid value for argument "ttl"', 'ttl negative');
SELECT throws_ok($$SELECT board.claim('a', '8 days')$$, '22023',
    'invalid value for argument "ttl"', 'ttl above max_ttl');
SELECT throws_ok($$SELECT board.claim('a', max_tasks => 0)$$, '22023',
    'invalid value for argument "max_tasks"', 'max_tasks 0');
SELECT throws_ok($$SELECT board.claim('a', max_tasks => NULL)$$, '22023',
    'invalid value for argument "max_tasks"', 'max_tasks NULL');
SELECT throws_ok($$SELECT board.claim('a', kinds => ARRAY['x', NULL])$$, '22023',
    'invalid value for argument "kinds"', 'a kind NULL');

DO $$ BEGIN
    PERFORM board.configure_kind('one', max_in_progress => 1);
    PERFORM board.enqueue('one');
    PERFORM board.claim('dead', kinds => ARRAY['one']);
    UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 s' WHERE kind = 'one';
END $$;
SELECT is((SELECT c.claim_count FROM board.claim('a', kinds => ARRAY['one']) AS c), 2,
    'a holder that lapsed does not keep its kind at the cap');

SELECT * FROM finish();
ROLLBACK;
