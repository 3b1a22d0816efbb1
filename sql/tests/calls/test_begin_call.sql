-- begin_call on a live kind: what it answers, records and refuses, for a provider that honours
-- idempotency keys, for one that does not, and for none.
BEGIN;
SELECT plan(71);

SELECT board.configure_provider('pay', base_url => 'https://pay.example/charges',
    honours_idempotency => true);
SELECT board.configure_provider('fax', base_url => 'https://fax.example/send');

CREATE TEMP TABLE task (name text PRIMARY KEY, id uuid NOT NULL);

-- A task of that name, held by a at attempt 1.
CREATE FUNCTION pg_temp.given(name text,
    kind text DEFAULT 'work') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _id uuid := board.enqueue(kind);
BEGIN
    INSERT INTO task VALUES (name, _id);
    PERFORM board.claim_task(_id, 'a', '1 hour');
END $$;
CREATE FUNCTION pg_temp.id(name text) RETURNS uuid LANGUAGE sql AS $$
    SELECT t.id FROM task AS t WHERE t.name = id.name $$;
-- Its lease ends, and another agent has it.
CREATE FUNCTION pg_temp.taken_over(name text, agent text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE board.tasks AS t SET leased_until = clock_timestamp() - interval '1 second'
     WHERE t.id = pg_temp.id(name);
    PERFORM board.claim_task(pg_temp.id(name), agent, '1 hour');
END $$;
CREATE FUNCTION pg_temp.calls(name text) RETURNS TABLE (
    number int, decision text, attempt int, agent text, outcome text) LANGUAGE sql AS $$
    SELECT c.number, c.decision, c.attempt, c.agent,
           CASE WHEN c.succeeded THEN 'succeeded' WHEN NOT c.succeeded THEN 'failed' END
           || CASE WHEN c.late THEN ', late' ELSE '' END
      FROM board.calls AS c WHERE c.task_id = pg_temp.id(name) ORDER BY c.step, c.number $$;


-- Send.

SELECT pg_temp.given('first');
CREATE TEMP TABLE ticket AS
    SELECT * FROM board.begin_call(pg_temp.id('first'), 'a', 'charge', 'pay',
        '{"cents": 1700, "to": "ann"}');
SELECT is((SELECT decision FROM ticket), 'send', 'a new step is sent');
SELECT is((SELECT idempotency_key FROM ticket),
    board.idempotency_key(pg_temp.id('first'), 'charge'),
          'under its key');
SELECT is((SELECT url FROM ticket), 'https://pay.example/charges', 'to the provider');
SELECT is((SELECT headers FROM ticket),
          jsonb_build_object('Content-Type', 'application/json',
                             'Idempotency-Key',
                                 board.idempotency_key(pg_temp.id('first'), 'charge')),
          'with the key as a header');
SELECT is((SELECT body FROM ticket), '{"to": "ann", "cents": 1700}',
    'the body is the request''s text');
SELECT is((SELECT response FROM ticket), NULL, 'there is no response yet');
SELECT is((SELECT retry_after FROM ticket), NULL, 'and nothing to wait for');
SELECT results_eq($$ SELECT * FROM pg_temp.calls('first') $$,
                  $$ VALUES (1, 'send', 1, 'a', NULL::text) $$, 'it is recorded before it is sent');
SELECT results_eq(
    $$ SELECT c.mode, c.provider, c.account, c.cost, c.url, c.body, c.idempotency_key
       FROM board.calls AS c
        WHERE c.task_id = pg_temp.id('first') $$,
    $$ SELECT 'live', 'pay', '', 1::bigint, t.url, t.body, t.idempotency_key FROM ticket AS t $$,
    'with everything that is sent');
SELECT is((SELECT status FROM board.tasks WHERE id = pg_temp.id('first')), 'in_progress',
    'and the lease stays');


-- Again in the same attempt, outcome unknown.

SELECT is((board.begin_call(pg_temp.id('first'), 'a', 'charge', 'pay',
    '{"cents": 1700, "to": "ann"}')).decision,
          'send', 'a provider that honours the key may be asked again');
SELECT results_eq($$ SELECT * FROM pg_temp.calls('first') $$,
    $$ VALUES (1, 'send', 1, 'a', NULL::text), (2, 'send', 1, 'a', NULL) $$,
        'each sending is a row');
SELECT results_eq(
    $$ SELECT c.superseded_by FROM board.calls AS c WHERE c.task_id = pg_temp.id('first')
       ORDER BY c.number $$,
    $$ VALUES (2), (NULL) $$, 'the first knows what followed it');


-- In a later attempt, and the same request compared as JSON.

SELECT pg_temp.taken_over('first', 'b');
CREATE TEMP TABLE again AS
    SELECT * FROM board.begin_call(pg_temp.id('first'), 'b', 'charge', 'pay',
        '{"to": "ann", "cents": 1700.0}');
SELECT is((SELECT decision FROM again), 'send', 'a later attempt sends again');
SELECT is((SELECT idempotency_key FROM again), (SELECT idempotency_key FROM ticket),
    'under the same key');
SELECT is((SELECT body FROM again), '{"to": "ann", "cents": 1700}',
          'the body that was stored first, byte for byte, not the one given now');
SELECT is((SELECT headers ->> 'Idempotency-Key' FROM again), (SELECT idempotency_key FROM ticket),
          'the same header');

-- Any number of attempts later the key is the same.
SELECT pg_temp.taken_over('first', 'c');
SELECT pg_temp.taken_over('first', 'd');
SELECT pg_temp.taken_over('first', 'e');
SELECT is((board.begin_call(pg_temp.id('first'), 'e', 'charge', 'pay',
    '{"cents": 1700, "to": "ann"}', attempt => 5)).idempotency_key,
          (SELECT idempotency_key FROM ticket), 'attempt 5 has the key of attempt 1');


-- TB005.

SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('first'), 'e', 'charge', 'pay',
       '{"cents": 1701, "to": "ann"}') $$,
    'TB005', 'step "charge" was begun with another request', 'another amount is another request');
SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('first'), 'e', 'charge', 'pay', '{"cents": 1700}') $$,
    'TB005', NULL, 'a key less is another request');
SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('first'), 'e', 'charge', 'pay',
       '{"cents": "1700", "to": "ann"}') $$,
    'TB005', NULL, 'a string is no number');
SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('first'), 'e', 'charge', 'pay') $$,
    'TB005', NULL, 'no request is another request');
SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('first'), 'e', 'charge', 'fax',
       '{"cents": 1700, "to": "ann"}') $$,
    'TB005', NULL, 'another provider is another request');
SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('first'), 'e', 'charge', 'pay',
       '{"cents": 1700, "to": "ann"}', account => 'x') $$,
    'TB005', NULL, 'so is another account: keys are kept by account');
SELECT is((board.begin_call(pg_temp.id('first'), 'e', 'charge',
    request => '{"cents": 1700, "to": "ann"}')).decision,
          'send', 'a provider left out is the one it went to');
SELECT is((board.begin_call(pg_temp.id('first'), 'e', 'refund', 'pay', '{"cents": 1}')).decision,
          'send', 'another step may ask for something else');
DO $$
DECLARE
    _detail text;
    _hint text;
BEGIN
    PERFORM board.begin_call(pg_temp.id('first'), 'e', 'charge', 'pay', '{"card": "4242"}');
EXCEPTION WHEN SQLSTATE 'TB005' THEN
    GET STACKED DIAGNOSTICS _detail = PG_EXCEPTION_DETAIL, _hint = PG_EXCEPTION_HINT;
    CREATE TEMP TABLE said AS SELECT _detail AS detail, _hint AS hint;
END $$;
SELECT unalike((SELECT detail || hint FROM said), '%4242%', 'the error shows no request');
SELECT alike((SELECT detail FROM said), '%attempt 1%', 'but who began it when');
SELECT alike((SELECT hint FROM said), '%another step name%', 'and what to do');


-- Done.

SELECT is(board.finish_call(pg_temp.id('first'), 'e', 'charge', '{"charge": "ch_1"}'), 'recorded',
    'finished');
CREATE TEMP TABLE done AS
    SELECT * FROM board.begin_call(pg_temp.id('first'), 'e', 'charge', 'pay',
        '{"cents": 1700, "to": "ann"}');
SELECT results_eq($$ SELECT decision, response, url, headers, body FROM done $$,
                  $$ VALUES ('done', '{"charge": "ch_1"}'::jsonb, NULL::text, NULL::jsonb,
                     NULL::text) $$,
                  'a finished step is answered from the board, with nowhere to send to');
SELECT pg_temp.taken_over('first', 'f');
SELECT is((board.begin_call(pg_temp.id('first'), 'f', 'charge', 'pay',
    '{"cents": 1700, "to": "ann"}')).response,
          '{"charge": "ch_1"}', 'in every later attempt too');
SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('first'), 'f', 'charge', 'pay', '{"cents": 5}') $$,
    'TB005', NULL, 'another request is refused even then');
SELECT is((SELECT count(*) FROM pg_temp.calls('first') AS c WHERE c.agent = 'f'), 0::bigint,
    'done records nothing');
SELECT lives_ok($$ SELECT board.complete(pg_temp.id('first'), 'f') $$);
SELECT lives_ok($$ SELECT board.replay(pg_temp.id('first'), 'olga') $$);
SELECT lives_ok($$ SELECT board.claim_task(pg_temp.id('first'), 'g') $$);
SELECT is((board.begin_call(pg_temp.id('first'), 'g', 'charge', 'pay',
    '{"cents": 1700, "to": "ann"}')).decision,
          'done', 'a replay under the same id does not send again');


-- A failure may be tried again, whatever the provider honours.

SELECT pg_temp.given('failed');
SELECT is((board.begin_call(pg_temp.id('failed'), 'a', 'send', 'fax', '1')).decision, 'send');
SELECT is(board.finish_call(pg_temp.id('failed'), 'a', 'send', '{"status": 503}',
    succeeded => false), 'recorded');
SELECT is((board.begin_call(pg_temp.id('failed'), 'a', 'send', 'fax', '1')).decision, 'send',
          'a step that is known to have failed is sent again');
SELECT is(board.finish_call(pg_temp.id('failed'), 'a', 'send', '{"status": 503}',
    succeeded => false), 'recorded',
          'and fails again');
SELECT pg_temp.taken_over('failed', 'b');
SELECT is((board.begin_call(pg_temp.id('failed'), 'b', 'send', 'fax', '1')).decision, 'send',
    'in a later attempt too');
SELECT results_eq($$ SELECT * FROM pg_temp.calls('failed') $$,
    $$ VALUES (1, 'send', 1, 'a', 'failed'), (2, 'send', 1, 'a', 'failed'), (3, 'send', 2, 'b',
       NULL) $$,
    'every call keeps its own outcome');


-- Indeterminate.

SELECT pg_temp.given('lost');
SELECT is((board.begin_call(pg_temp.id('lost'), 'a', 'send', 'fax', '{"page": 1}')).decision,
    'send');
CREATE TEMP TABLE unsure AS SELECT * FROM board.begin_call(pg_temp.id('lost'), 'a', 'send', 'fax',
    '{"page": 1}');
SELECT results_eq($$ SELECT decision, idempotency_key, url, headers, body FROM unsure $$,
    $$ SELECT 'indeterminate', board.idempotency_key(pg_temp.id('lost'), 'send'), NULL::text,
       NULL::jsonb, NULL::text $$,
    'sent before, outcome unknown, and the provider would do it twice');
SELECT is((SELECT leased_by FROM board.tasks WHERE id = pg_temp.id('lost')), 'a',
          'the attempt that sent it is only told so');
SELECT pg_temp.taken_over('lost', 'b');
SELECT is((board.begin_call(pg_temp.id('lost'), 'b', 'send', 'fax', '{"page": 1}')).decision,
    'indeterminate',
          'a later attempt is told so');
SELECT results_eq(
    $$ SELECT t.status::text, t.escalation_reason, t.failure_count, t.last_failure ->> 'step',
       t.last_failure ->> 'idempotency_key',
              t.last_failure ->> 'provider', t.last_failure ->> 'sent_by',
                  (t.last_failure ->> 'attempt')::int
         FROM board.tasks AS t WHERE t.id = pg_temp.id('lost') $$,
    $$ SELECT 'escalated', 'indeterminate', 0, 'send', board.idempotency_key(pg_temp.id('lost'),
       'send'), 'fax', 'a', 1 $$,
    'and the task is with people, who are told which step it is, without a strike');
SELECT results_eq($$ SELECT * FROM pg_temp.calls('lost') $$,
    $$ VALUES (1, 'send', 1, 'a', NULL::text) $$,
                  'it was sent once');
SELECT ok(EXISTS (SELECT FROM board.task_events AS e
                   WHERE e.task_id = pg_temp.id('lost') AND e.type = 'escalated' AND e.actor = 'b'
                     AND e.payload -> 'payload' ->> 'step' = 'send'), 'the log tells it');
SELECT is((SELECT count(*) FROM board.claim_escalated('anna', id => pg_temp.id('lost'))), 1::bigint,
    'a person takes it');
SELECT is((board.begin_call(pg_temp.id('lost'), 'anna', 'send', 'fax', '{"page": 1}')).decision,
    'indeterminate',
          'a person is told the same');
SELECT is((SELECT leased_by FROM board.tasks WHERE id = pg_temp.id('lost')), 'anna',
    'and keeps the task');


-- Without a provider.

SELECT pg_temp.given('own');
CREATE TEMP TABLE own AS SELECT * FROM board.begin_call(pg_temp.id('own'), 'a', 'print');
SELECT results_eq($$ SELECT decision, url, body, headers FROM own $$,
    $$ SELECT 'send', NULL::text, NULL::text,
              jsonb_build_object('Idempotency-Key',
                  board.idempotency_key(pg_temp.id('own'), 'print')) $$,
    'the agent knows where to send it');
SELECT is((board.begin_call(pg_temp.id('own'), 'a', 'print')).decision, 'indeterminate',
          'and nobody has said that it may be sent twice');


-- The kind's provider and account.

SELECT board.configure_kind('bill', provider => 'pay');
UPDATE board.kinds SET provider_account = 'eu' WHERE name = 'bill';
SELECT pg_temp.given('bill', 'bill');
SELECT board.begin_call(pg_temp.id('bill'), 'a', 'one', request => '{}');
SELECT board.begin_call(pg_temp.id('bill'), 'a', 'two', 'pay', '{}', account => 'us', cost => 3);
SELECT board.begin_call(pg_temp.id('bill'), 'a', 'three', 'fax', '{}');
SELECT results_eq(
    $$ SELECT c.step, c.provider, c.account, c.cost FROM board.calls AS c
       WHERE c.task_id = pg_temp.id('bill') ORDER BY c.began_at $$,
    $$ VALUES ('one', 'pay', 'eu', 1::bigint), ('two', 'pay', 'us', 3), ('three', 'fax', '', 1) $$,
    'what is left out is the kind''s');
UPDATE board.kinds SET provider = 'fax' WHERE name = 'bill';
SELECT pg_temp.taken_over('bill', 'b');
SELECT is((board.begin_call(pg_temp.id('bill'), 'b', 'one', request => '{}')).url,
    'https://pay.example/charges',
          'a step goes where it first went, whatever the kind says by now');


-- Refusals.

SELECT pg_temp.given('refused');
SELECT throws_ok($$ SELECT board.begin_call(gen_random_uuid(), 'a', 's') $$, 'TB002',
    'task not found');
SELECT throws_ok($$ SELECT board.begin_call(NULL, 'a', 's') $$, '22023');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('refused'), 'b', 's') $$, 'TB001',
    'lease lost', 'another''s task');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('refused'), 'a', 's', attempt => 2) $$,
    'TB001', 'lease lost', 'another attempt');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('refused'), 'a', NULL) $$, '22023',
                 'invalid value for argument "step"');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('refused'), 'a', repeat('x', 201)) $$,
    '22023',
                 'invalid value for argument "step"');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('refused'), NULL, 's') $$, '22023',
                 'invalid value for argument "agent"');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('refused'), 'a', 's', 'nobody') $$, '22023',
                 'invalid value for argument "provider"', 'a provider that nobody configured');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('refused'), 'a', 's', 'pay', cost => 0) $$,
    '22023',
                 'invalid value for argument "cost"');
SELECT throws_ok(
    $$ SELECT board.begin_call(pg_temp.id('refused'), 'a', 's', account => repeat('x', 201)) $$,
    '22023', 'invalid value for argument "account"');
UPDATE board.settings SET require_attempt = true;
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('refused'), 'a', 's') $$, '22023',
                 'invalid value for argument "attempt"', 'where the attempt is required');
UPDATE board.settings SET require_attempt = false;
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 second'
    WHERE id = pg_temp.id('refused');
SELECT throws_ok($$ SELECT board.begin_call(pg_temp.id('refused'), 'a', 's') $$, 'TB001',
    'lease lost', 'a lapsed lease');
SELECT is_empty($$ SELECT * FROM pg_temp.calls('refused') $$, 'a refused call leaves no trace');

SELECT * FROM finish();
ROLLBACK;
