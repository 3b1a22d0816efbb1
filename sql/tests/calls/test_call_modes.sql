-- begin_call on a kind in dry_run or shadow: what is answered and recorded, what it costs, and that
-- the live run of the same task knows nothing of it.
BEGIN;
SELECT plan(42);

SELECT board.configure_provider('pay', base_url => 'https://pay.example/',
    sandbox_url => 'https://sandbox.example/',
                                honours_idempotency => true);
SELECT board.configure_provider('fax', base_url => 'https://fax.example/');
SELECT board.set_limit('pay', '1 hour', 1);
SELECT board.configure_kind('work', max_failures => 3);

CREATE TEMP TABLE task (name text PRIMARY KEY, id uuid NOT NULL);
CREATE FUNCTION pg_temp.given(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _id uuid := board.enqueue('work', correlation_id => name);
BEGIN
    INSERT INTO task VALUES (name, _id);
    PERFORM board.claim_task(_id, 'a', '1 hour');
END $$;
CREATE FUNCTION pg_temp.id(name text) RETURNS uuid LANGUAGE sql AS $$
    SELECT t.id FROM task AS t WHERE t.name = id.name $$;
CREATE FUNCTION pg_temp.taken_over(name text, agent text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE board.tasks AS t SET leased_until = clock_timestamp() - interval '1 second'
     WHERE t.id = pg_temp.id(name);
    PERFORM board.claim_task(pg_temp.id(name), agent, '1 hour');
END $$;
CREATE FUNCTION pg_temp.calls(name text) RETURNS TABLE (
    number int, mode text, decision text, attempt int, url text, body text) LANGUAGE sql AS $$
    SELECT c.number, c.mode, c.decision, c.attempt, c.url, c.body
      FROM board.calls AS c WHERE c.task_id = pg_temp.id(name) ORDER BY c.step, c.number $$;


-- Dry-run.

UPDATE board.kinds SET mode = 'dry_run' WHERE name = 'work';
SELECT pg_temp.given('task');
CREATE TEMP TABLE dry AS SELECT * FROM board.begin_call(pg_temp.id('task'), 'a', 's', 'pay',
    '{"n": 1}');
SELECT is((SELECT decision FROM dry), 'suppress', 'dry-run: not to be sent');
SELECT is((SELECT idempotency_key FROM dry), board.idempotency_key(pg_temp.id('task'), 's'),
    'with the key that it would have had');
SELECT results_eq($$ SELECT url, headers FROM dry $$, $$ VALUES (NULL::text, NULL::jsonb) $$,
    'and nowhere to send it to');
SELECT is((SELECT body FROM dry), '{"n": 1}', 'the body may be looked at');
SELECT results_eq($$ SELECT * FROM pg_temp.calls('task') $$,
    $$ VALUES (1, 'dry_run', 'suppress', 1, 'https://pay.example/', '{"n": 1}') $$,
    'what would have been sent is recorded byte for byte, and where');
SELECT is((board.begin_call(pg_temp.id('task'), 'a', 's', 'pay', '{"n": 1}')).decision, 'suppress',
    'again: the same');
SELECT is((SELECT count(*) FROM pg_temp.calls('task')), 1::bigint, 'and still one call');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('task'), 'a', 's', 'pay', '{"n": 2}') $$,
    'TB005', NULL,
                 'a rehearsal finds another request too');
SELECT pg_temp.taken_over('task', 'b');
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 's', 'pay', '{"n": 1}')).decision, 'suppress',
          'a later attempt rehearses again: nothing is indeterminate');
SELECT is((SELECT count(*) FROM pg_temp.calls('task')), 2::bigint, 'and is recorded');
SELECT is(board.finish_call(pg_temp.id('task'), 'a', 's', '{"pretended": 1}', attempt => 1), 'late',
    'outcomes are kept by the same rules');
SELECT is(board.finish_call(pg_temp.id('task'), 'b', 's', '{"pretended": 2}'), 'recorded');
SELECT results_eq($$ SELECT decision, response
    FROM board.begin_call(pg_temp.id('task'), 'b', 's', 'pay', '{"n": 1}') $$,
                  $$ VALUES ('done', '{"pretended": 2}'::jsonb) $$,
                      'an agent that pretends an answer gets it back');
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 'f', 'fax')).decision, 'suppress',
    'a provider that honours no keys: the same');
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 'p')).decision, 'suppress',
    'no provider: the same');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('task'), 'b', 'x', 'nobody') $$, '22023',
    NULL,
                 'a rehearsal finds a provider that is not configured');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('task'), 'b', 'x', 'pay', cost => 2) $$,
    'TB006', NULL,
                 'and a cost that could never be paid');


-- Shadow.

UPDATE board.kinds SET mode = 'shadow' WHERE name = 'work';
CREATE TEMP TABLE shadow AS SELECT * FROM board.begin_call(pg_temp.id('task'), 'b', 's', 'pay',
    '{"n": 3}');
SELECT results_eq(
    $$ SELECT decision, url, body, headers ->> 'Idempotency-Key' FROM shadow $$,
    $$ SELECT 'sandbox', 'https://sandbox.example/', '{"n": 3}', idempotency_key FROM dry $$,
    'shadow: to the sandbox, under the same key; the rehearsal''s outcome does not count');
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 's', 'pay', '{"n": 3}')).decision, 'sandbox',
    'again: to the sandbox again');
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 'f', 'fax')).decision, 'suppress',
    'a provider without sandbox: suppressed');
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 'p')).decision, 'suppress',
    'no provider: suppressed');
SELECT is((SELECT count(*) FROM board.calls AS c WHERE c.url = 'https://sandbox.example/'
    AND c.decision <> 'sandbox'), 0::bigint);
SELECT is(board.finish_call(pg_temp.id('task'), 'b', 's', '{"sandbox": 1}'), 'recorded');
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 's', 'pay', '{"n": 3}')).response,
    '{"sandbox": 1}', 'and then done');

SELECT is_empty($$ SELECT FROM board.budgets AS b CROSS JOIN LATERAL unnest(b.counts) AS u (n)
    WHERE u.n > 0 $$,
                'neither dry-run nor shadow takes from a budget');
SELECT lives_ok($$ SELECT board.pause('provider:pay', 'olga') $$);
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 's2', 'pay', '{"n": 3}')).decision, 'sandbox',
    'nor waits for one');
SELECT lives_ok($$ SELECT board.resume('provider:pay', 'olga') $$);
SELECT is_empty($$ SELECT FROM board.calls AS c WHERE c.mode = 'live' OR c.decision = 'send' $$,
    'and nothing counts as live');


-- Live.

UPDATE board.kinds SET mode = 'live' WHERE name = 'work';
CREATE TEMP TABLE live AS SELECT * FROM board.begin_call(pg_temp.id('task'), 'b', 's', 'pay',
    '{"n": 4}');
SELECT results_eq(
    $$ SELECT decision, url, body, idempotency_key FROM live $$,
    $$ SELECT 'send', 'https://pay.example/', '{"n": 4}', idempotency_key FROM dry $$,
    'the live run of the same task still sends, with a request of its own');
SELECT is((SELECT sum(u.n)::bigint
             FROM board.budgets AS b CROSS JOIN LATERAL unnest(b.counts) AS u (n)),
    1::bigint, 'and pays');
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 'f', 'fax')).decision, 'send',
          'a suppressed call of unknown outcome is not one that was sent');
SELECT is(board.finish_call(pg_temp.id('task'), 'b', 's', '{"live": 1}'), 'recorded');
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 's', 'pay', '{"n": 4}')).response,
    '{"live": 1}');

-- Back down: in flight, then demoted.
SELECT is((board.begin_call(pg_temp.id('task'), 'b', 'p')).decision, 'send');
UPDATE board.kinds SET mode = 'dry_run' WHERE name = 'work';
SELECT pg_temp.taken_over('task', 'c');
SELECT is((board.begin_call(pg_temp.id('task'), 'c', 'p')).decision, 'suppress');
SELECT is(board.finish_call(pg_temp.id('task'), 'b', 'p', '{"in": "flight"}'), 'recorded',
          'the outcome of a live call is not late because of a rehearsal');
SELECT is((board.begin_call(pg_temp.id('task'), 'c', 'p')).decision, 'suppress',
    'nor is a rehearsal done because of it');
SELECT pg_temp.given('person');
SELECT is((board.begin_call(pg_temp.id('person'), 'a', 's', 'fax')).decision, 'suppress');
SELECT lives_ok($$ SELECT board.escalate(pg_temp.id('person'), 'a') $$);
SELECT lives_ok($$ SELECT * FROM board.claim_escalated('anna', id => pg_temp.id('person')) $$);
SELECT throws_ok($$ SELECT board.finish_call(pg_temp.id('person'), 'anna', 's', '1') $$, 'TB003',
    NULL,
                 'a person has no outcome to tell of what was never sent');

SELECT * FROM finish();
ROLLBACK;
