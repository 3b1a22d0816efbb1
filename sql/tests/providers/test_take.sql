-- take: grants while there is room, says how long to wait when there is none, refuses what can
-- never be granted. How exact it is over time is shown in tests/test_providers.py.
BEGIN;
SELECT plan(53);
DO $$ BEGIN
    PERFORM board.configure_provider('acme');
    PERFORM board.configure_provider('free');
END $$;
DO $$ BEGIN
    PERFORM board.set_limit('acme', '1 hour', 10);
    PERFORM board.set_limit('acme', '1 day', 12);
END $$;

SELECT results_eq($$ SELECT * FROM board.take('free', 'any', 1000000) $$,
    $$ VALUES (true, NULL::interval) $$, 'a provider without limits grants');
SELECT results_eq($$ SELECT * FROM board.take('acme') $$,
    $$ VALUES (true, NULL::interval) $$, 'one of ten is granted');
SELECT ok(t.granted, 'nine more') FROM board.take('acme', '', 9) AS t;
SELECT ok(NOT t.granted, 'the eleventh is refused') FROM board.take('acme') AS t;
SELECT ok(t.retry_after > '59 minutes' AND t.retry_after <= interval '1 hour' * 65 / 64,
    'until the hour is over: ' || t.retry_after) FROM board.take('acme') AS t;
SELECT set_eq($$ SELECT v.used FROM board.provider_budgets AS v WHERE v.provider = 'acme' $$,
    ARRAY[10], 'what is refused uses nothing, of no limit');

SELECT ok(t.granted, 'another account has its own ten') FROM board.take('acme', 'key-1', 10) AS t;
SELECT ok(NOT t.granted, 'and not more') FROM board.take('acme', 'key-1') AS t;

UPDATE board.budgets SET clock_at = clock_at - interval '2 hours', instant = instant - 7200000000;
SELECT ok(t.granted, 'two hours later: two of the day''s twelve are left')
  FROM board.take('acme', cost => 2) AS t;
SELECT ok(t.retry_after > '21 hours' AND t.retry_after < '23 hours',
    'then the longer limit says how long: ' || t.retry_after) FROM board.take('acme') AS t;

SAVEPOINT before;
SELECT ok(t.granted, 'a take') FROM board.take('acme', 'key-2', 10) AS t;
ROLLBACK TO before;
SELECT ok(t.granted, 'that is rolled back is refunded') FROM board.take('acme', 'key-2', 10) AS t;

SELECT throws_ok($$ SELECT board.take('acme', cost => 11) $$, 'TB006', 'cost exceeds limit',
    'more than the limit can never be granted');
SELECT throws_ok($$ SELECT board.take('acme', 'key-9', 11) $$, 'TB006', 'cost exceeds limit',
    'on a fresh account neither');
SELECT throws_ok($$ SELECT board.take('nobody') $$, '22023',
    'invalid value for argument "provider"',
    'a provider that is not known');
SELECT throws_ok($$ SELECT board.take(NULL) $$, '22023', 'invalid value for argument "provider"',
    'no provider');
SELECT throws_ok($$ SELECT board.take('acme', NULL) $$, '22023',
    'invalid value for argument "account"',
    'the account is '''' and not NULL');
SELECT throws_ok($$ SELECT board.take('acme', repeat('k', 201)) $$, '22023',
    'invalid value for argument "account"', 'an account of 201 characters');
SELECT throws_ok($$ SELECT board.take('acme', cost => 0) $$, '22023',
    'invalid value for argument "cost"',
    'a cost of 0');
SELECT throws_ok($$ SELECT board.take('acme', cost => -1) $$, '22023',
    'invalid value for argument "cost"',
    'a cost below 0');
SELECT throws_ok($$ SELECT board.take('acme', cost => NULL) $$, '22023',
    'invalid value for argument "cost"',
    'no cost');

SELECT throws_ok($$ SELECT board.take('acme', cost => 9223372036854775807) $$, '22023',
    'invalid value for argument "cost"', 'a cost out of range');

-- Units.
DO $$ BEGIN
    PERFORM board.configure_provider('model');
    PERFORM board.set_limit('model', '1 minute', 5);
    PERFORM board.set_limit('model', '1 minute', 1000, 'input');
    PERFORM board.set_limit('model', '1 hour', 1500, 'input');
    PERFORM board.set_limit('model', '1 minute', 100, 'output');
END $$;
SELECT ok(t.granted, 'all limits have room')
  FROM board.take('model', units => '{"input": 600, "output": 50, "unlimited": 7}') AS t;
SELECT results_eq(
    $$ SELECT v.unit, v.period, v.used FROM board.provider_budgets AS v
        WHERE v.provider = 'model' $$,
    $$ VALUES ('call', interval '1 minute', 1::bigint), ('input', '1 minute', 600),
              ('input', '1 hour', 600), ('output', '1 minute', 50) $$, 'all are charged');
SELECT ok(NOT t.granted AND t.retry_after < '62 seconds', 'one has none: refused')
  FROM board.take('model', units => '{"input": 10, "output": 51}') AS t;
SELECT ok(NOT t.granted, 'another has none: refused')
  FROM board.take('model', units => '{"input": 401}') AS t;
SELECT results_eq(
    $$ SELECT v.unit, v.period, v.used FROM board.provider_budgets AS v
        WHERE v.provider = 'model' $$,
    $$ VALUES ('call', interval '1 minute', 1::bigint), ('input', '1 minute', 600),
              ('input', '1 hour', 600), ('output', '1 minute', 50) $$,
    'what is refused is charged nothing, in no unit');
SELECT ok(t.granted, 'what asks for none of a unit does not wait for it')
  FROM board.take('model', units => '{"output": 50, "input": 0}') AS t;
SELECT ok(t.granted, 'a call alone neither') FROM board.take('model') AS t;
SELECT ok(NOT t.granted, 'and the calls are counted too') FROM board.take('model', cost => 3) AS t;
SELECT results_eq(
    $$ SELECT u.units, u.task_id, u.agent, u.db_user FROM board.usage_records AS u
        WHERE u.provider = 'model' ORDER BY u.id LIMIT 1 $$,
    $$ SELECT '{"call": 1, "input": 600, "output": 50, "unlimited": 7}'::jsonb, NULL::uuid,
              NULL::text, current_user::text COLLATE "default" $$,
    'who used what is on record, also of units that have no limit');
SELECT throws_ok($$ SELECT board.take('model', units => '{"output": 101}') $$, 'TB006',
    'cost exceeds limit', 'more of a unit than the limit can never be granted');
SELECT throws_ok(format('SELECT board.take(''model'', units => %L)', u.units), '22023',
    'invalid value for argument "units"', 'units ' || left(u.units, 60))
  FROM (VALUES ('[1]'), ('7'), ('{"input": "7"}'), ('{"input": -1}'), ('{"input": 1.5}'),
               ('{"input": null}'), ('{"input": 1e12999}'), ('{"input": 1000000000001}'),
               ('{"": 1}'), ('{"call": 1}'),
               ((SELECT jsonb_object_agg('u' || n, n)::text FROM generate_series(1, 33) AS n))
       ) AS u (units);
SELECT ok(t.granted, 'a whole number, however it is written')
  FROM board.take('model', 'k', units => '{"input": 1e2, "output": 5.0}') AS t;
SELECT is((SELECT v.used FROM board.provider_budgets AS v
            WHERE v.account = 'k' AND v.unit = 'input' AND v.period = '1 hour'), 100::bigint,
    'is that number');

SELECT is(board.pause('provider:free', 'olga'), 'paused', 'the provider is paused');
SELECT results_eq($$ SELECT * FROM board.take('free') $$,
    $$ VALUES (false, interval '1 minute') $$, 'nothing is granted, look again in a minute');
SELECT throws_ok($$ SELECT board.take('free', cost => 0) $$,
    '22023', NULL, 'a pause hides no mistake');
SELECT is(board.resume('provider:free', 'olga'), 'resumed', 'it is resumed');
SELECT ok(t.granted, 'and grants') FROM board.take('free') AS t;

SELECT is(board._budget_free_at(NULL, '', 1, '2026-03-01'), '2026-03-01'::timestamptz,
    'no provider: no budget is in the way');
SELECT is(board._budget_free_at('nobody', '', 1, '2026-03-01'), '2026-03-01'::timestamptz,
    'a kind''s provider that is not known is not in the way either');
SELECT is(board._budget_free_at('acme', '', 13, clock_timestamp()), 'infinity',
    'above the limit: never');

SELECT * FROM finish();
ROLLBACK;
