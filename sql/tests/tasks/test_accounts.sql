-- Tasks that name the account whose budget they need: an exhausted account stands in nobody's way,
-- and claim, queue, explain and next_due say the same.
BEGIN;
SELECT plan(45);
DO $$ BEGIN
    PERFORM board.configure_provider('model', base_url => 'https://model.example/');
    PERFORM board.configure_kind('ask', provider => 'model');
END $$;
DO $$ BEGIN
    PERFORM board.set_limit('model', '1 hour', 2);
    PERFORM board.set_limit('model', '1 hour', 1000, 'token');
END $$;

SELECT lives_ok($$ SELECT board.enqueue('other', account => 'key-9') $$, 'a task may name an account');
SELECT is((SELECT t.account FROM board.tasks AS t), 'key-9', 'which is kept');
SELECT throws_ok($$ SELECT board.enqueue('ask', account => repeat('k', 201)) $$, '22023',
    'invalid value for argument "account"', 'of 1 to 200 characters');
SELECT lives_ok($$ SELECT board.cancel(t.id, 'x') FROM board.tasks AS t $$);

-- 200 of an exhausted account in front of one of another.
SELECT ok(t.granted, 'all of an account''s calls are taken')
  FROM board.take('model', 'poor', 2) AS t;
DO $$ BEGIN
    FOR _n IN 1 .. 200 LOOP
        PERFORM board.enqueue('ask', priority => 5, account => 'poor');
    END LOOP;
    PERFORM board.enqueue('ask', account => 'rich');
    PERFORM board.enqueue('ask');
END $$;
CREATE FUNCTION pg_temp.poor() RETURNS uuid LANGUAGE sql AS $$
    SELECT t.id FROM board.tasks AS t WHERE t.account = 'poor' ORDER BY t.id LIMIT 1 $$;
SELECT is((SELECT count(*) FROM board.queue), 2::bigint, 'the queue has what can be claimed');
SELECT ok(board.next_due() <= clock_timestamp(), 'next_due says now, for the others');
SELECT ok(board.next_due() <= clock_timestamp() AND board.explain(pg_temp.poor())
    ~ '^pending; provider "model", account "poor", has no budget until', 'explain says why');
SELECT is_empty($$ SELECT FROM board.claim_task(pg_temp.poor(), 'a') $$,
    'an exhausted account''s task is not given out by name either');
SELECT results_eq($$ SELECT c.account FROM board.claim('a', '6 hours') AS c $$,
    $$ VALUES ('rich') $$,
    'a claim steps over 200');
SELECT results_eq($$ SELECT c.account FROM board.claim('a', '6 hours') AS c $$,
    $$ VALUES (NULL::text) $$,
    'and the next gets the next');
SELECT is((SELECT count(*) FROM board.tasks AS t WHERE t.rank IS NOT NULL), 0::bigint,
    'they have been put out of the way');
SELECT is((SELECT count(*) FROM board.tasks AS t WHERE t.status = 'pending'), 200::bigint,
    'and are pending, as they were');
SELECT is((SELECT count(*) FROM board.task_events AS e WHERE e.type <> 'enqueued'
    AND e.task_id IN (SELECT t.id FROM board.tasks AS t WHERE t.account = 'poor')), 0::bigint,
    'which is no event');
SELECT is_empty($$ SELECT FROM board.queue $$, 'the queue is empty');
SELECT is_empty($$ SELECT FROM board.claim('a', '6 hours', max_tasks => 10) $$, 'so is the next claim');
SELECT ok(board.explain(pg_temp.poor()) ~ 'has no budget until', 'explain says why');
SELECT ok(board.next_due(ARRAY['ask']) = (SELECT min(v.next_free_at)
    FROM board.provider_budgets AS v WHERE v.account = 'poor' AND v.unit = 'call'),
    'next_due says when the budget returns');

-- A budget that comes back before its time.
SELECT lives_ok($$ SELECT board.set_limit('model', '1 hour', 3) $$);
SELECT is((SELECT count(*) FROM board.queue), 200::bigint, 'a higher limit: they are claimable');
SELECT ok(board.next_due(ARRAY['ask']) <= clock_timestamp(), 'now');
SELECT results_eq($$ SELECT c.account FROM board.claim('a', '6 hours') AS c $$,
    $$ VALUES ('poor') $$,
    'and claimed');
SELECT lives_ok($$ SELECT board.throttle('model', 'poor', '10 minutes') $$);
SELECT is_empty($$ SELECT FROM board.claim('a', '6 hours') $$, 'a throttled account waits likewise');
SELECT ok(board.next_due(ARRAY['ask']) > clock_timestamp() + '9 minutes', 'until it ends');
SELECT ok(board.explain(pg_temp.poor()) IS NOT NULL);
SELECT is(board.unthrottle('model', 'poor'), true);
SELECT is((SELECT count(*) FROM board.claim('a', '6 hours', max_tasks => 3)), 3::bigint, 'it is lifted');
SELECT lives_ok($$ SELECT board.throttle('model', NULL, '10 minutes') $$);
SELECT is_empty($$ SELECT FROM board.claim('a', '6 hours') $$, 'all accounts are throttled: none is given out');
SELECT is_empty($$ SELECT FROM board.queue $$, 'nor in the queue');
SELECT is(board.unthrottle('model', NULL), true);

-- The time comes.
SELECT lives_ok($$ SELECT board.throttle('model', 'poor', '10 minutes') $$);
SELECT is_empty($$ SELECT FROM board.claim('a', '6 hours') $$);
UPDATE board.throttles SET throttled_until = clock_timestamp();
UPDATE board.tasks SET due_at = clock_timestamp(), turn = turn + 2
 WHERE status = 'pending' AND rank IS NULL;
SELECT is((SELECT count(*) FROM board.claim('a', '6 hours', max_tasks => 2)), 2::bigint,
    'what was postponed is claimed when its time has come');

-- begin_call says wait: those behind are not claimed to be told the same.
CREATE TEMP TABLE held AS
SELECT t.id FROM board.tasks AS t WHERE t.account = 'poor' AND t.status = 'in_progress' LIMIT 1;
SELECT is((SELECT c.decision FROM held AS h
    CROSS JOIN LATERAL board.begin_call(h.id, 'a', 's', units => '{"token": 1000}') AS c), 'send',
    'the account of the call is the task''s');
SELECT is((SELECT u.account FROM board.usage_records AS u
            WHERE u.task_id = (SELECT h.id FROM held AS h)),
    'poor', 'and the usage is booked there');
CREATE TEMP TABLE behind AS
SELECT t.id FROM board.tasks AS t
 WHERE t.account = 'poor' AND t.status = 'in_progress'
   AND t.id <> (SELECT h.id FROM held AS h) LIMIT 1;
DO $$ BEGIN
    PERFORM board.set_limit('model', '1 hour', 100);
    PERFORM board.enqueue('ask', account => 'rich');
END $$;
SELECT is((SELECT c.decision FROM behind AS b
    CROSS JOIN LATERAL board.begin_call(b.id, 'a', 's', units => '{"token": 10}') AS c), 'wait',
    'tokens are gone, calls are left');
SELECT results_eq($$ SELECT c.account FROM board.claim('a', '6 hours') AS c $$,
    $$ VALUES ('rich') $$,
    'the next claim gets another account''s');
SELECT is_empty($$ SELECT FROM board.claim('a', '6 hours') $$, 'and those behind are not claimed in vain');
SELECT ok(board.next_due(ARRAY['ask']) BETWEEN clock_timestamp() + '59 minutes'
    AND clock_timestamp() + '62 minutes', 'next_due says until when');
SELECT ok(board.explain((SELECT t.id FROM board.tasks AS t
    WHERE t.account = 'poor' AND t.status = 'pending' LIMIT 1))
    ~ '^pending; postponed until .*: provider "model", account "poor", has no budget for it$',
    'explain says why');
SELECT is_empty($$ SELECT FROM board.queue $$, 'and the queue agrees');

-- The kind's own account does not close the kind.
SELECT is((SELECT bool_and(t.granted) FROM board.take('model', '', 99) AS t), true);
DO $$ BEGIN
    PERFORM board.enqueue('ask', priority => 9);
    PERFORM board.enqueue('ask', account => 'rich');
END $$;
SELECT results_eq($$ SELECT c.account FROM board.claim('a', '6 hours', max_tasks => 5) AS c $$,
    $$ VALUES (NULL::text), ('rich') $$, 'one call is left to the kind''s account');

SELECT * FROM finish();
ROLLBACK;
