-- begin_call and the budget of a provider: what is sent is paid for, what cannot be paid is put off
-- without a trace, and nothing else costs anything.
BEGIN;
SELECT plan(34);

SELECT board.configure_provider('pay', base_url => 'https://pay.example/',
    honours_idempotency => true);
SELECT board.configure_provider('mail', base_url => 'https://mail.example/',
    honours_idempotency => true);
SELECT board.set_limit('pay', '1 hour', 2);
SELECT board.configure_kind('charge', provider => 'pay');
SELECT board.configure_kind('letter', provider => 'mail');

CREATE TEMP TABLE task (name text PRIMARY KEY, id uuid NOT NULL);
CREATE FUNCTION pg_temp.given(name text, kind text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO task VALUES (name, board.enqueue(kind));
END $$;
CREATE FUNCTION pg_temp.id(name text) RETURNS uuid LANGUAGE sql AS $$
    SELECT t.id FROM task AS t WHERE t.name = id.name $$;
CREATE FUNCTION pg_temp.used(account text DEFAULT '') RETURNS bigint LANGUAGE sql AS $$
    SELECT coalesce(sum(u.n),
        0) FROM board.budgets AS b CROSS JOIN LATERAL unnest(b.counts) AS u (n)
     WHERE b.provider = 'pay' AND b.account = used.account $$;

SELECT pg_temp.given('one', 'charge');
SELECT pg_temp.given('two', 'charge');
SELECT pg_temp.given('three', 'charge');
SELECT pg_temp.given('letter', 'letter');
SELECT lives_ok($$ SELECT board.claim_task(pg_temp.id('one'), 'a', '1 hour') $$);
SELECT lives_ok($$ SELECT board.claim_task(pg_temp.id('two'), 'a', '1 hour') $$);
SELECT lives_ok($$ SELECT board.claim_task(pg_temp.id('three'), 'a', '1 hour') $$);

SELECT is((board.begin_call(pg_temp.id('one'), 'a', 's', request => '1')).decision, 'send');
SELECT is(pg_temp.used(), 1::bigint, 'a call that is sent takes from the budget');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('one'), 'a', 's', request => '2') $$,
    'TB005');
SELECT is(board.finish_call(pg_temp.id('one'), 'a', 's', '1'), 'recorded');
SELECT is((board.begin_call(pg_temp.id('one'), 'a', 's', request => '1')).decision, 'done');
SELECT is(pg_temp.used(), 1::bigint, 'a refusal costs nothing, nor does an answer from the board');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('two'), 'a', 's', cost => 3) $$, 'TB006',
    NULL,
                 'a cost above the limit is refused for good');
SELECT is((SELECT t.status FROM board.tasks AS t WHERE t.id = pg_temp.id('two')), 'in_progress',
          'and the task is still held');
SELECT is((board.begin_call(pg_temp.id('two'), 'a', 's')).decision, 'send',
    'the last of the budget');
SELECT is((board.begin_call(pg_temp.id('three'), 'a', 's', account => 'other')).decision, 'send',
          'another account has a budget of its own');
SELECT is(pg_temp.used('other'), 1::bigint, 'which was taken from');

-- No budget.

CREATE TEMP TABLE wait AS SELECT * FROM board.begin_call(pg_temp.id('three'), 'a', 't',
    request => '3');
SELECT is((SELECT decision FROM wait), 'wait', 'no budget: wait');
SELECT ok((SELECT retry_after BETWEEN interval '1 minute' AND interval '62 minutes' FROM wait),
          'for as long as the window needs');
SELECT results_eq($$ SELECT url, headers, body, response FROM wait $$,
                  $$ VALUES (NULL::text, NULL::jsonb, NULL::text, NULL::jsonb) $$,
                      'there is nothing to send');
SELECT results_eq(
    $$ SELECT t.status::text, t.leased_by, t.failure_count,
       t.run_at > clock_timestamp() + w.retry_after - interval '1 minute'
         FROM board.tasks AS t, wait AS w WHERE t.id = pg_temp.id('three') $$,
    $$ VALUES ('scheduled', NULL::text, 0, true) $$,
        'the task has been released until then, without a strike');
SELECT is_empty($$ SELECT FROM board.calls AS c WHERE c.task_id = pg_temp.id('three')
    AND c.step = 't' $$,
                'nothing is recorded as sent');
SELECT is(pg_temp.used(), 2::bigint, 'and nothing was taken');
SELECT results_eq($$ SELECT c.id FROM board.claim('a') AS c $$, $$ SELECT pg_temp.id('letter') $$,
                  'the next task that the agent gets is another provider''s');
SELECT is((board.begin_call(pg_temp.id('letter'), 'a', 's')).decision, 'send', 'which is sent');
SELECT is_empty($$ SELECT FROM board.claim('a') $$,
    'the provider''s own tasks stay where they are');

-- Once there is budget again, and the request may even be another one: nothing was sent.

SELECT board.set_limit('pay', '1 hour', 100);
UPDATE board.tasks SET run_at = clock_timestamp() - interval '1 second'
    WHERE id = pg_temp.id('three');
SELECT results_eq($$ SELECT c.id FROM board.claim('a') AS c $$, $$ SELECT pg_temp.id('three') $$);
SELECT is((board.begin_call(pg_temp.id('three'), 'a', 't', request => '33')).decision, 'send',
    'now it is sent');
SELECT is((SELECT t.claim_count FROM board.tasks AS t WHERE t.id = pg_temp.id('three')), 2);

-- A paused provider.

SELECT lives_ok($$ SELECT board.pause('provider:pay', 'olga') $$);
SELECT results_eq(
    $$ SELECT w.decision, w.retry_after > '0'
       FROM board.begin_call(pg_temp.id('three'), 'a', 'u') AS w $$,
    $$ VALUES ('wait', true) $$, 'a paused provider is waited for');
SELECT is((SELECT t.status FROM board.tasks AS t WHERE t.id = pg_temp.id('three')), 'scheduled');

-- A call to be sent again is paid for again: it is a call.

SELECT lives_ok($$ SELECT board.resume('provider:pay', 'olga') $$);
SELECT is(pg_temp.used(), 3::bigint);
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 second'
    WHERE id = pg_temp.id('two');
SELECT lives_ok($$ SELECT board.claim_task(pg_temp.id('two'), 'b') $$);
SELECT is((board.begin_call(pg_temp.id('two'), 'b', 's')).decision, 'send');
SELECT is(pg_temp.used(), 4::bigint, 'sent again, paid again');

SELECT * FROM finish();
ROLLBACK;
