-- finish_call: what counts as the outcome of a step, and what is kept beside it.
BEGIN;
SELECT plan(59);

SELECT board.configure_provider('pay', base_url => 'https://pay.example/',
    honours_idempotency => true);
SELECT board.configure_provider('fax', base_url => 'https://fax.example/');

CREATE TEMP TABLE task (name text PRIMARY KEY, id uuid NOT NULL);

-- A task of that name, held by a at attempt 1, which has begun step s with that provider.
CREATE FUNCTION pg_temp.begun(name text,
    provider text DEFAULT 'pay') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _id uuid := board.enqueue('work');
BEGIN
    INSERT INTO task VALUES (name, _id);
    PERFORM board.claim_task(_id, 'a', '1 hour');
    PERFORM board.begin_call(_id, 'a', 's', provider, '{"n": 1}');
END $$;
CREATE FUNCTION pg_temp.id(name text) RETURNS uuid LANGUAGE sql AS $$
    SELECT t.id FROM task AS t WHERE t.name = id.name $$;
CREATE FUNCTION pg_temp.hint(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    _hint text;
BEGIN
    EXECUTE query;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS _hint = PG_EXCEPTION_HINT;
    RETURN _hint;
END $$;
CREATE FUNCTION pg_temp.lapse(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE board.tasks AS t SET leased_until = clock_timestamp() - interval '1 second'
     WHERE t.id = pg_temp.id(name);
END $$;
CREATE FUNCTION pg_temp.taken_over(name text, agent text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_temp.lapse(name);
    PERFORM board.claim_task(pg_temp.id(name), agent, '1 hour');
END $$;
CREATE FUNCTION pg_temp.begin_s(name text, agent text) RETURNS board.call_ticket LANGUAGE sql AS $$
    SELECT board.begin_call(pg_temp.id(name), agent, 's', request => '{"n": 1}') $$;
CREATE FUNCTION pg_temp.calls(name text) RETURNS TABLE (
    number int, decision text, attempt int, told_by text, outcome text,
        response jsonb) LANGUAGE sql AS $$
    SELECT c.number, c.decision, c.attempt, c.finished_by,
           CASE WHEN c.succeeded THEN 'succeeded' WHEN NOT c.succeeded THEN 'failed' END
           || CASE WHEN c.late THEN ', late' ELSE '' END, c.response
      FROM board.calls AS c WHERE c.task_id = pg_temp.id(name) ORDER BY c.number $$;


-- By its holder, and said twice.

SELECT pg_temp.begun('plain');
SELECT is(board.finish_call(pg_temp.id('plain'), 'a', 's', '{"id": 1}', attempt => 1), 'recorded');
SELECT results_eq($$ SELECT * FROM pg_temp.calls('plain') $$,
    $$ VALUES (1, 'send', 1, 'a', 'succeeded', '{"id": 1}'::jsonb) $$,
        'the outcome stands beside the call');
SELECT ok((SELECT c.finished_at BETWEEN c.began_at AND clock_timestamp() FROM board.calls AS c
            WHERE c.task_id = pg_temp.id('plain')), 'with the time');
SELECT is(board.finish_call(pg_temp.id('plain'), 'a', 's', '{"id": 1.0}', attempt => 1), 'recorded',
    'said twice: the same answer');
SELECT is((SELECT count(*) FROM pg_temp.calls('plain')), 1::bigint, 'and nothing new');
SELECT is(board.finish_call(pg_temp.id('plain'), 'a', 's', '{"id": 2}', attempt => 1), 'late',
    'another outcome comes too late');
SELECT is(board.finish_call(pg_temp.id('plain'), 'a', 's', '{"id": 2}', attempt => 1), 'late',
    'said twice');
SELECT is(board.finish_call(pg_temp.id('plain'), 'a', 's', '{"id": 1}', false, 1), 'late',
    'a failure after the success too');
SELECT results_eq($$ SELECT * FROM pg_temp.calls('plain') $$,
    $$ VALUES (1, 'send', 1, 'a', 'succeeded', '{"id": 1}'::jsonb),
              (2, 'report', 1, 'a', 'succeeded, late', '{"id": 2}'),
              (3, 'report', 1, 'a', 'failed, late', '{"id": 1}') $$,
    'all of them are kept as evidence, none instead of the outcome');
SELECT is((pg_temp.begin_s('plain', 'a')).response, '{"id": 1}',
    'the first outcome is the outcome');


-- After the lease has lapsed, nobody else having begun the step.

SELECT pg_temp.begun('lapsed');
SELECT pg_temp.lapse('lapsed');
SELECT is(board.finish_call(pg_temp.id('lapsed'), 'a', 's', '{"id": 1}', attempt => 1), 'recorded',
    'a lapsed lease does not matter');
SELECT board.claim_task(pg_temp.id('lapsed'), 'b', '1 hour');
SELECT results_eq($$ SELECT decision, response FROM pg_temp.begin_s('lapsed', 'b') $$,
    $$ VALUES ('done', '{"id": 1}'::jsonb) $$, 'the next attempt gets it as done');

SELECT pg_temp.begun('taken');
SELECT pg_temp.taken_over('taken', 'b');
SELECT is(board.finish_call(pg_temp.id('taken'), 'a', 's', '{"id": 1}'), 'recorded',
          'nor does a later attempt that has not begun the step');
SELECT is((pg_temp.begin_s('taken', 'b')).decision, 'done', 'which then gets it as done');


-- A later attempt has begun the step.

SELECT pg_temp.begun('late');
SELECT pg_temp.taken_over('late', 'b');
SELECT is((pg_temp.begin_s('late', 'b')).decision, 'send');
SELECT is(board.finish_call(pg_temp.id('late'), 'a', 's', '{"by": "a"}', attempt => 1), 'late',
    'late');
SELECT is(board.finish_call(pg_temp.id('late'), 'a', 's', '{"by": "a"}', attempt => 1), 'late',
    'late, said twice');
SELECT is((pg_temp.begin_s('late', 'b')).decision, 'send',
    'a late outcome does not make the step done');
SELECT is(board.finish_call(pg_temp.id('late'), 'b', 's', '{"by": "b"}', attempt => 2), 'recorded',
    'the later attempt''s does');
SELECT is((pg_temp.begin_s('late', 'b')).response, '{"by": "b"}');
SELECT results_eq($$ SELECT * FROM pg_temp.calls('late') $$,
    $$ VALUES (1, 'send', 1, 'a', 'succeeded, late', '{"by": "a"}'::jsonb),
              (2, 'send', 2, NULL, NULL, NULL),
              (3, 'send', 2, 'b', 'succeeded', '{"by": "b"}') $$,
    'evidence beside the outcome');

-- The same name, an attempt later: the attempt tells which call is meant.
SELECT pg_temp.begun('namesake');
SELECT pg_temp.taken_over('namesake', 'a');
SELECT is((pg_temp.begin_s('namesake', 'a')).decision, 'send');
SELECT is(board.finish_call(pg_temp.id('namesake'), 'a', 's', '{"by": "old"}', attempt => 1),
    'late');
SELECT is(board.finish_call(pg_temp.id('namesake'), 'a', 's', '{"by": "new"}'), 'recorded',
    'without one, the latest');
SELECT is((pg_temp.begin_s('namesake', 'a')).response, '{"by": "new"}');


-- A failure, and what overrides it.

SELECT pg_temp.begun('failed', 'fax');
SELECT is(board.finish_call(pg_temp.id('failed'), 'a', 's', '"timeout"', false), 'recorded');
SELECT is(board.finish_call(pg_temp.id('failed'), 'a', 's', '{"id": 1}'), 'recorded',
          'it turns out to have succeeded, and nothing was sent since');
SELECT results_eq($$ SELECT * FROM pg_temp.calls('failed') $$,
    $$ VALUES (1, 'send', 1, 'a', 'failed', '"timeout"'::jsonb), (2, 'report', 1, 'a', 'succeeded',
       '{"id": 1}') $$,
    'both are kept');
SELECT is((pg_temp.begin_s('failed', 'a')).decision, 'done', 'so that it is not sent twice');

SELECT pg_temp.begun('retried', 'fax');
SELECT is(board.finish_call(pg_temp.id('retried'), 'a', 's', '"timeout"', false), 'recorded');
SELECT pg_temp.taken_over('retried', 'b');
SELECT is((pg_temp.begin_s('retried', 'b')).decision, 'send');
SELECT is(board.finish_call(pg_temp.id('retried'), 'a', 's', '{"id": 1}'), 'late',
    'too late once it has been sent again');


-- Whatever has become of the task.

SELECT pg_temp.begun('cancelled');
SELECT lives_ok($$ SELECT board.cancel(pg_temp.id('cancelled'), 'olga') $$);
SELECT is(board.finish_call(pg_temp.id('cancelled'), 'a', 's', '{"id": 1}'), 'recorded',
    'a cancelled task keeps the fact');
SELECT pg_temp.begun('completed');
SELECT lives_ok($$ SELECT board.complete(pg_temp.id('completed'), 'a') $$);
SELECT is(board.finish_call(pg_temp.id('completed'), 'a', 's', NULL), 'recorded',
    'so does a completed one; a response may be NULL');


-- An indeterminate call.

SELECT pg_temp.begun('unsure', 'fax');
SELECT pg_temp.taken_over('unsure', 'b');
SELECT is((pg_temp.begin_s('unsure', 'b')).decision, 'indeterminate');
SELECT is(board.finish_call(pg_temp.id('unsure'), 'a', 's', '{"id": 1}', attempt => 1), 'recorded',
          'the agent comes back: nobody has sent it since, and now its outcome is known');

SELECT pg_temp.begun('asked', 'fax');
SELECT pg_temp.taken_over('asked', 'b');
SELECT is((pg_temp.begin_s('asked', 'b')).decision, 'indeterminate');
SELECT throws_ok($$ SELECT board.finish_call(pg_temp.id('asked'), 'anna', 's', '"not in the books"',
    false) $$,
    'TB003', NULL, 'a passer-by may not tell the outcome');
SELECT lives_ok($$ SELECT * FROM board.claim_escalated('anna', id => pg_temp.id('asked')) $$);
SELECT is(board.finish_call(pg_temp.id('asked'), 'anna', 's', '"not in the books"', false),
    'recorded',
          'whoever took it from the human queue may');
SELECT is((pg_temp.begin_s('asked', 'anna')).decision, 'send', 'and then it can be sent again');

SELECT pg_temp.begun('known', 'fax');
SELECT is(board.finish_call(pg_temp.id('known'), 'a', 's', '"engaged"', false), 'recorded');
SELECT pg_temp.taken_over('known', 'b');
SELECT is((pg_temp.begin_s('known', 'b')).decision, 'send');
SELECT pg_temp.taken_over('known', 'c');
SELECT is((pg_temp.begin_s('known', 'c')).decision, 'indeterminate');
SELECT lives_ok($$ SELECT * FROM board.claim_escalated('a', id => pg_temp.id('known')) $$);
SELECT is(board.finish_call(pg_temp.id('known'), 'a', 's', '"engaged"', false, 1), 'recorded',
    'what he said of his own call he may say again');
SELECT is(board.finish_call(pg_temp.id('known'), 'a', 's', '{"id": 1}'), 'recorded',
    'whoever holds it from the human queue tells of the last call, also who began an earlier one');
SELECT is((pg_temp.begin_s('known', 'a')).decision, 'done', 'and it counts');


-- Refusals.

SELECT throws_ok($$ SELECT board.finish_call(pg_temp.id('plain'), 'a', 'other', '1') $$,
    'TB003', 'step "other" was not begun by "a"', 'a step that nobody began');
SELECT throws_ok($$ SELECT board.finish_call(pg_temp.id('late'), 'c', 's', '1') $$,
    'TB003', 'step "s" was not begun by "c"', 'a step that somebody else began');
SELECT throws_ok($$ SELECT board.finish_call(pg_temp.id('late'), 'b', 's', '1', attempt => 1) $$,
    'TB003', 'step "s" was not begun by "b" at attempt 1', 'an attempt that was another''s');
SELECT is(
    pg_temp.hint($$ SELECT board.finish_call(pg_temp.id('late'), 'b', 's', '1', attempt => 1) $$),
    'Pass attempt => 2, the one that began it.', 'the hint says which attempt is right');
SELECT throws_ok($$ SELECT board.finish_call(gen_random_uuid(), 'a', 's', '1') $$, 'TB002',
    'task not found');
SELECT throws_ok($$ SELECT board.finish_call(pg_temp.id('late'), 'b', 's', '1', NULL) $$, '22023',
    'invalid value for argument "succeeded"');
UPDATE board.settings SET require_attempt = true;
SELECT throws_ok($$ SELECT board.finish_call(pg_temp.id('late'), 'b', 's', '1') $$, '22023',
    'invalid value for argument "attempt"', 'where the attempt is required');

SELECT lives_ok($$ DELETE FROM board.tasks WHERE id = pg_temp.id('cancelled') $$);
SELECT is_empty($$ SELECT * FROM pg_temp.calls('cancelled') $$, 'calls are pruned with their task');

SELECT * FROM finish();
ROLLBACK;
