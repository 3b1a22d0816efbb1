-- begin_call(units) and finish_call(used): the estimate is taken from every limit or from none, and
-- what was really used takes its place; and how long a provider remembers a key.
BEGIN;
SELECT plan(41);

SELECT board.configure_provider('model', base_url => 'https://model.example/',
    honours_idempotency => true);
SELECT board.set_limit('model', '1 hour', 10);
SELECT board.set_limit('model', '1 hour', 1000, 'input');
SELECT board.set_limit('model', '1 day', 1500, 'input');
SELECT board.set_limit('model', '1 hour', 200, 'output');
SELECT board.configure_kind('ask', provider => 'model');

CREATE TEMP TABLE task (name text PRIMARY KEY, id uuid NOT NULL);
CREATE FUNCTION pg_temp.given(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO task VALUES (name, board.enqueue('ask'));
    PERFORM board.claim_task(t.id, 'a', '1 hour') FROM task AS t WHERE t.name = given.name;
END $$;
CREATE FUNCTION pg_temp.id(name text) RETURNS uuid LANGUAGE sql AS $$
    SELECT t.id FROM task AS t WHERE t.name = id.name $$;
CREATE FUNCTION pg_temp.used() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(v.used::text, ' ' ORDER BY v.unit, v.period)
      FROM board.provider_budgets AS v WHERE v.provider = 'model' AND v.account = '' $$;

SELECT pg_temp.given('one');
SELECT pg_temp.given('two');
SELECT is((board.begin_call(pg_temp.id('one'), 'a', 's', request => '1',
                            units => '{"input": 600, "output": 100}')).decision, 'send');
SELECT is(pg_temp.used(), '1 600 600 100', 'the estimate is taken of every limit');
SELECT results_eq(
    $$ SELECT u.units, u.task_id, u.step, u.kind, u.agent, u.provider
         FROM board.usage_records AS u $$,
    $$ SELECT '{"call": 1, "input": 600, "output": 100}'::jsonb, pg_temp.id('one'), 's', 'ask',
              'a', 'model' $$, 'who used it for what is on record');
SELECT is((board.begin_call(pg_temp.id('two'), 'a', 's', request => '2',
                            units => '{"input": 10, "output": 101}')).decision, 'wait',
    'one limit without room is enough');
SELECT is(pg_temp.used(), '1 600 600 100', 'and nothing is taken of the others');
SELECT is((SELECT count(*) FROM board.usage_records AS u), 1::bigint, 'nor recorded');

-- Less was used: it comes back.
SELECT is(board.finish_call(pg_temp.id('one'), 'a', 's', '"text"', attempt => 1,
                            used => '{"input": 550, "output": 20}'), 'recorded');
SELECT is(pg_temp.used(), '1 550 550 20', 'less than the estimate is given back');
SELECT is(board.finish_call(pg_temp.id('one'), 'a', 's', '"text"', attempt => 1,
                            used => '{"input": 550, "output": 20}'), 'recorded');
SELECT is(pg_temp.used(), '1 550 550 20', 'said twice changes nothing');
SELECT is(board.finish_call(pg_temp.id('one'), 'a', 's', '"text"', attempt => 1), 'recorded');
SELECT is(pg_temp.used(), '1 550 550 20', 'nor does what says nothing of use');
SELECT is((SELECT u.units FROM board.usage_records AS u),
    '{"call": 1, "input": 550, "output": 20}'::jsonb, 'the record has what was used');

-- More was used: it is booked, above the limit too, and the next one waits.
UPDATE board.tasks SET run_at = clock_timestamp() - interval '1 second'
    WHERE id = pg_temp.id('two');
SELECT board.claim_task(pg_temp.id('two'), 'a', '1 hour');
SELECT is((board.begin_call(pg_temp.id('two'), 'a', 's', request => '2',
                            units => '{"input": 400, "output": 101}')).decision, 'send');
SELECT is(board.finish_call(pg_temp.id('two'), 'a', 's', '"long"',
                            used => '{"input": 400, "output": 300, "cached": 9}'), 'recorded');
SELECT is(pg_temp.used(), '2 950 950 320', 'more is booked, and passes the limit');
SELECT is((SELECT v.remaining FROM board.provider_budgets AS v WHERE v.unit = 'output'), 0::bigint,
    'nothing remains');
SELECT is((SELECT u.units FROM board.usage_records AS u WHERE u.task_id = pg_temp.id('two')),
    '{"call": 1, "input": 400, "output": 300, "cached": 9}'::jsonb,
    'a unit that nobody estimated is on record too');
SELECT pg_temp.given('three');
SELECT is((board.begin_call(pg_temp.id('three'), 'a', 's', request => '3',
                            units => '{"output": 1}')).decision, 'wait', 'the next one waits');
SELECT is(board.finish_call(pg_temp.id('two'), 'a', 's', '"long"', used => '{"output": 250}'),
    'recorded');
SELECT is(pg_temp.used(), '2 950 950 270', 'a figure may be corrected');
SELECT is(board.finish_call(pg_temp.id('two'), 'a', 's', '"long"', used => '{"output": 0}'),
    'recorded');
SELECT is(pg_temp.used(), '2 950 950 219',
    'no more comes back than was counted then: what was added since stays');

-- Never sent.
SELECT pg_temp.given('four');
SELECT is((board.begin_call(pg_temp.id('four'), 'a', 's', request => '4', cost => 3)).decision,
    'send', 'a call that needs no tokens');
SELECT is(board.finish_call(pg_temp.id('four'), 'a', 's', '"refused"', false,
                            used => '{"call": 0}'), 'recorded');
SELECT is(pg_temp.used(), '2 950 950 219', 'its cost comes back');

-- Without a provider it is on record all the same.
SELECT board.configure_kind('free');
INSERT INTO task VALUES ('free', board.enqueue('free'));
SELECT board.claim_task(pg_temp.id('free'), 'a', '1 hour');
SELECT is((board.begin_call(pg_temp.id('free'), 'a', 's', units => '{"input": 5}')).decision,
    'send', 'a call that names no provider');
SELECT is(board.finish_call(pg_temp.id('free'), 'a', 's', '1', used => '{"input": 7}'), 'recorded');
SELECT results_eq(
    $$ SELECT u.provider, u.units FROM board.usage_records AS u
        WHERE u.task_id = pg_temp.id('free') $$,
    $$ VALUES (NULL::text, '{"call": 1, "input": 7}'::jsonb) $$, 'has used something too');

SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('four'), 'a', 't', units => '{"input": 1001}') $$,
    'TB006', 'cost exceeds limit', 'more of a unit than a limit');
SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('four'), 'a', 't', units => '{"call": 1}') $$, '22023',
    'invalid value for argument "units"', 'calls are said with cost');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('four'), 'a', 't', attempt => 3000000000) $$,
    '22023', 'invalid value for argument "attempt"', 'an attempt out of range');
SELECT throws_ok($$ SELECT board.finish_call(pg_temp.id('four'), 'a', 's', '1', used => '[]') $$,
    '22023', 'invalid value for argument "used"', 'used is an object');
SELECT throws_ok(
    $$ SELECT board.finish_call(pg_temp.id('four'), 'a', 's', '1', attempt => 3000000000) $$,
    '22023', 'invalid value for argument "attempt"', 'an attempt out of range here too');

-- How long the provider remembers a key.
SELECT board.configure_provider('forgets', base_url => 'https://forgets.example/',
    honours_idempotency => true, idempotency_window => '1 day');
INSERT INTO task VALUES ('key', board.enqueue('free'));
SELECT board.claim_task(pg_temp.id('key'), 'a', '1 hour');
SELECT is((board.begin_call(pg_temp.id('key'), 'a', 's', 'forgets')).decision, 'send');
SELECT is((board.begin_call(pg_temp.id('key'), 'a', 's', 'forgets')).decision, 'send',
    'sent again under a key that the provider knows');
UPDATE board.calls SET began_at = began_at - interval '23 hours 59 minutes'
 WHERE task_id = pg_temp.id('key') AND number = 1;
SELECT is((board.begin_call(pg_temp.id('key'), 'a', 's', 'forgets')).decision, 'send',
    'a minute before it forgets');
UPDATE board.calls SET began_at = began_at - interval '1 minute'
 WHERE task_id = pg_temp.id('key') AND number = 1;
SELECT is((board.begin_call(pg_temp.id('key'), 'a', 's', 'forgets')).decision, 'indeterminate',
    'the first call with it was a day ago, whatever was sent since: nobody knows');
SELECT is(board.finish_call(pg_temp.id('key'), 'a', 's', '"refused"', false), 'recorded');
SELECT is((board.begin_call(pg_temp.id('key'), 'a', 's', 'forgets')).decision, 'send',
    'what is known to have failed may be sent');
SELECT is((board.configure_provider('forgets', reset => '{idempotency_window}')).idempotency_window,
    NULL, 'the window is reset');

SELECT * FROM finish();
ROLLBACK;
