-- What was used: board.usage by provider, account, kind, task, agent, day and unit; budgets of
-- tasks; and what prune drops of it.
BEGIN;
SELECT plan(42);

SELECT board.configure_provider('model', base_url => 'https://model.example/',
    honours_idempotency => true);
SELECT is((board.configure_kind('ask', provider => 'model', task_budget => '{"token": 1000}')
          ).task_budget, '{"token": 1000}'::jsonb, 'a kind has a budget for each task');

CREATE TEMP TABLE task (name text PRIMARY KEY, id uuid NOT NULL);
CREATE FUNCTION pg_temp.given(name text, kind text DEFAULT 'ask') RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO task VALUES (name, board.enqueue(kind));
    PERFORM board.claim_task(t.id, 'a', '1 hour') FROM task AS t WHERE t.name = given.name;
END $$;
CREATE FUNCTION pg_temp.id(name text) RETURNS uuid LANGUAGE sql AS $$
    SELECT t.id FROM task AS t WHERE t.name = id.name $$;
CREATE FUNCTION pg_temp.decision(task text, step text, units jsonb DEFAULT NULL,
    agent text DEFAULT 'a') RETURNS text LANGUAGE sql AS $$
    SELECT c.decision FROM board.begin_call(pg_temp.id(task), agent, step, units => units) AS c $$;

SELECT pg_temp.given('one');
SELECT is(pg_temp.decision('one', 's1', '{"token": 600}'), 'send', 'within the budget');
SELECT is(board.finish_call(pg_temp.id('one'), 'a', 's1', '1', used => '{"token": 700}'), 'recorded');
SELECT is(pg_temp.decision('one', 's2', '{"token": 300}'), 'send', 'up to the last of it');
SELECT results_eq(
    $$ SELECT u.provider, u.account, u.kind, u.agent,
              u.day = (clock_timestamp() AT TIME ZONE 'UTC')::date, u.unit, u.units, u.calls
         FROM board.usage AS u WHERE u.task_id = pg_temp.id('one') ORDER BY u.unit $$,
    $$ VALUES ('model', '', 'ask', 'a', true, 'call', 2::bigint, 2::bigint),
              ('model', '', 'ask', 'a', true, 'token', 1000, 2) $$,
    'what the task has cost is a query');
SELECT throws_ok($$ SELECT board.set_task_budget(pg_temp.id('one'), 'maria', '{"token": 1.5}') $$,
    '22023', 'invalid value for argument "units"', 'a budget is of whole amounts');
SELECT throws_ok(
    $$ SELECT board.set_task_budget('00000000-0000-0000-0000-000000000000', 'maria', '{}') $$,
    'TB002', NULL, 'and of a task that is there');

SELECT is(board.finish_call(pg_temp.id('one'), 'a', 's2', '1', used => '{"token": 250}'), 'recorded');
SELECT is(pg_temp.decision('one', 's3', '{"token": 51}'), 'over_budget',
    'the call that would pass it is not granted');
SELECT results_eq(
    $$ SELECT t.status::text, t.escalation_reason, t.leased_by, t.last_failure - 'todo'
         FROM board.tasks AS t WHERE t.id = pg_temp.id('one') $$,
    $$ VALUES ('escalated', 'budget', NULL::text,
        '{"unit": "token", "used": 950, "needed": 51, "task_budget": 1000,
          "step": "s3"}'::jsonb) $$,
    'the task goes to a person, with the figures');
SELECT is_empty($$ SELECT FROM board.calls AS c
    WHERE c.task_id = pg_temp.id('one') AND c.step = 's3' $$, 'nothing is recorded as sent');
SELECT is((SELECT sum(u.units) FROM board.usage AS u
            WHERE u.task_id = pg_temp.id('one') AND u.unit = 'token'), 950::numeric, 'nor used');

-- A person.
SELECT lives_ok($$ SELECT board.claim_escalated('maria', id => pg_temp.id('one')) $$);
SELECT is(pg_temp.decision('one', 's3', '{"token": 51}', 'maria'), 'over_budget',
    'a person is told');
SELECT is((SELECT t.leased_by FROM board.tasks AS t WHERE t.id = pg_temp.id('one')), 'maria',
    'and goes on holding it');
SELECT is(board.set_task_budget(pg_temp.id('one'), 'maria', '{"token": 1200, "call": 4}'),
    '{"call": 4, "token": 1200}'::jsonb, 'it is allowed more');
SELECT results_eq(
    $$ SELECT l.actor, l.target = 'task:' || pg_temp.id('one'), l.detail FROM board.audit_log AS l
        WHERE l.action = 'set_task_budget' $$,
    $$ VALUES ('maria', true, '{"from": null, "to": {"call": 4, "token": 1200}}'::jsonb) $$,
    'by whom is in the log');
SELECT is(board.retry(pg_temp.id('one'), 'maria'), 'pending');
SELECT lives_ok($$ SELECT board.claim_task(pg_temp.id('one'), 'a', '1 hour') $$);
SELECT is(pg_temp.decision('one', 's3', '{"token": 250}'), 'send', 'up to its own budget');
SELECT is(pg_temp.decision('one', 's4', NULL), 'send', 'the fourth call, which names no tokens');
SELECT is(pg_temp.decision('one', 's5', NULL), 'over_budget', 'the fifth is one too many');
SELECT is((SELECT t.last_failure ->> 'unit' FROM board.tasks AS t WHERE t.id = pg_temp.id('one')),
    'call', 'calls have a budget like any unit');

-- More was used than was estimated.
SELECT pg_temp.given('two');
SELECT is(pg_temp.decision('two', 's1', '{"token": 10}'), 'send');
SELECT is(board.finish_call(pg_temp.id('two'), 'a', 's1', '1', used => '{"token": 5000}'), 'recorded');
SELECT is(pg_temp.decision('two', 's2', NULL), 'over_budget',
    'a budget that is passed lets no call through, estimated or not');
SELECT is(board.set_task_budget(pg_temp.id('two'), 'maria', '{"token": 6000}'), '{"token": 6000}');
SELECT is(board.set_task_budget(pg_temp.id('two'), 'maria', NULL), NULL, 'taken back');
SELECT is(board.retry(pg_temp.id('two'), 'maria'), 'pending');
SELECT lives_ok($$ SELECT board.claim_task(pg_temp.id('two'), 'b', '1 hour') $$);
SELECT is(pg_temp.decision('two', 's2', NULL, 'b'), 'over_budget', 'the kind''s holds again');

-- The budget is the kind's business.
SELECT is((board.configure_kind('ask', reset => '{task_budget}')).task_budget, NULL, 'reset');
SELECT throws_ok($$ SELECT board.configure_kind('ask', task_budget => '{"token": -1}') $$, '22023',
    'invalid value for argument "task_budget"', 'out of range');
SELECT throws_ok($$ SELECT board.configure_kind('ask', task_budget => '[]') $$, '22023',
    'invalid value for argument "task_budget"', 'no object');

-- Prune.
SELECT is((SELECT t.granted FROM board.take('model', units => '{"token": 1}') AS t), true);
SELECT is(board.cancel(pg_temp.id('one'), 'maria'), 'cancelled');
UPDATE board.usage_records AS u SET taken_at = u.taken_at - interval '40 days';
UPDATE board.tasks AS t SET finished_at = t.finished_at - interval '31 days'
    WHERE t.id = pg_temp.id('one');
SELECT is((SELECT t.granted FROM board.take('model', units => '{"token": 1}') AS t), true);
SELECT is(board.prune('30 days'), 1::bigint, 'a finished task is pruned');
SELECT is_empty($$ SELECT FROM board.usage AS u WHERE u.task_id = pg_temp.id('one') $$,
    'and its usage');
SELECT is((SELECT sum(u.units) FROM board.usage AS u
            WHERE u.task_id = pg_temp.id('two') AND u.unit = 'token'), 5000::numeric,
    'what a task that is here has used stays, however old');
SELECT is((SELECT count(*) FROM board.usage_records AS u WHERE u.task_id IS NULL), 1::bigint,
    'of bare takes what is old goes');
SELECT is((SELECT (l.detail ->> 'usage_records')::int FROM board.audit_log AS l
            WHERE l.action = 'prune'), 5, 'the log says how many');

SELECT * FROM finish();
ROLLBACK;
