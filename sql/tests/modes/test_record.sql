-- Both sides of a step: either may come first, the first record of a side stands, every other one
-- is kept as evidence, and nothing is compared across a change of configuration.
BEGIN;
SELECT plan(56);

SELECT is(board.promote('work', 'dry_run', 'ana'), 'dry_run', 'a kind begins in dry_run');
SELECT is(board.promote('work', 'shadow', 'ana'), 'shadow', 'and goes on in shadow');

-- A claimed task for an outside event; returns its id.
CREATE FUNCTION pg_temp.task(event text, kind text DEFAULT 'work') RETURNS uuid LANGUAGE sql
AS $$ SELECT t.id FROM board.claim_task(board.enqueue(kind, correlation_id => event), 'A') AS t $$;

-- The decision first.
CREATE TEMPORARY TABLE e1 AS SELECT pg_temp.task('e1') AS id;
SELECT is(board.record_decision(e.id, 'A', 'fee', '{"a": 1, "b": 2}'), 'missing',
    'a decision alone')
  FROM e1 AS e;
SELECT results_eq(
    $$ SELECT c.verdict, c.decided, c.actual, c.decided_by, c.task_id, c.attempt, c.mode,
           c.counts, c.paths
         FROM board.comparisons AS c WHERE c.correlation_id = 'e1' $$,
    $$ SELECT 'missing', '{"a": 1, "b": 2}'::jsonb, NULL::jsonb, 'A', e.id, 1, 'shadow', true,
           '{}'::text[] FROM e1 AS e $$,
    'it is there, with its task and attempt');
SELECT is(board.record_actual('work', 'e1', 'fee', '{"b": 2, "a": 1.0}'), 'matched', 'the same from the old one');
SELECT results_eq(
    $$ SELECT c.verdict, c.decided, c.actual, c.actual_by, c.paths, c.conflicts
           FROM board.comparisons AS c $$,
    $$ SELECT 'matched', '{"a": 1, "b": 2}'::jsonb, '{"a": 1.0, "b": 2}'::jsonb,
           session_user::text COLLATE "default", '{}'::text[], 0::bigint $$,
    'one row with both');

-- The actual first, before there is a task.
SELECT is(board.record_actual('work', 'e2', 'fee', '{"items": [{"price": 1}, {"price": 2}]}'), 'missing',
    'an actual alone');
SELECT is(board.record_decision(pg_temp.task('e2'), 'A', 'fee',
    '{"items": [{"price": 1}, {"price": 3}]}'), 'diverged',
    'another decision');
SELECT results_eq(
    $$ SELECT c.verdict, c.paths FROM board.comparisons AS c WHERE c.correlation_id = 'e2' $$,
    $$ VALUES ('diverged', '{$.items[1].price}'::text[]) $$, 'diverged, with the path');
SELECT is(
    (SELECT d.differences FROM board.divergences AS d WHERE d.correlation_id = 'e2'),
    '$.items[1].price: decided 3, actual 2', 'and in words');

-- Missing against null, nothing decided.
SELECT is(board.record_actual('work', 'e3', 'fee', '{"a": null}'), 'missing', 'a null inside');
SELECT is(board.record_decision(pg_temp.task('e3'), 'A', 'fee', '{}'), 'diverged', 'is not nothing inside');
SELECT is(board.record_actual('work', 'e4', 'fee', 'null'), 'missing', '"did nothing" is a record');
SELECT is(board.record_decision(pg_temp.task('e4'), 'A', 'fee', 'null'), 'matched', 'and matches "decided nothing"');
SELECT is(
    (SELECT d.differences FROM board.divergences AS d WHERE d.correlation_id = 'e3'),
    '$.a: decided nothing, actual null', 'the words tell nothing from null');

-- Steps and events are apart.
SELECT is(board.record_decision(pg_temp.task('e1'), 'A', 'mail', '1'), 'missing', 'another step of the same event');
SELECT is(board.record_actual('other', 'e1', 'mail', '1'), 'missing', 'another kind, not seen before');
SELECT is((board._kind_policy('other')).mode, 'live', 'which is live, as any new kind');

-- The same again.
SELECT is(board.record_decision(e.id, 'A', 'fee', '{"b": 2, "a": 1}'), 'matched',
    'the same decision again changes nothing')
  FROM e1 AS e;
SELECT is(board.record_actual('work', 'e1', 'fee', '{"b": 2.0, "a": 1}'), 'matched', 'nor does the same actual');
SELECT is((SELECT count(*)::int FROM board.comparison_evidence), 0, 'and leaves no evidence');

-- Another one for the same step.
SELECT is(board.record_decision(e.id, 'A', 'fee', '{"a": 9}'), 'conflict',
    'a second, different decision')
  FROM e1 AS e;
SELECT is(board.record_decision(e.id, 'A', 'fee', '{"a": 9}'), 'conflict',
    'and again')
  FROM e1 AS e;
SELECT is(board.record_actual('work', 'e1', 'fee', '{"a": 8}'), 'conflict', 'a second, different actual');
SELECT results_eq(
    $$ SELECT c.verdict, c.decided, c.actual, c.conflicts FROM board.comparisons AS c
        WHERE c.kind = 'work' AND c.correlation_id = 'e1' AND c.step = 'fee' $$,
    $$ VALUES ('matched', '{"a": 1, "b": 2}'::jsonb, '{"a": 1.0, "b": 2}'::jsonb, 2::bigint) $$,
    'the first ones stand, and the row says that there is more');
SELECT results_eq(
    $$ SELECT e.side, e.reason, e.value, e.task_id, e.attempt, e.recorded_by
           FROM board.comparison_evidence AS e ORDER BY e.seq $$,
    $$ SELECT 'decided', 'conflict', '{"a": 9}'::jsonb, e.id, 1, 'A' FROM e1 AS e
       UNION ALL SELECT 'actual', 'conflict', '{"a": 8}', NULL, NULL,
              session_user::text COLLATE "default" $$,
    'the others are kept, each once');

-- A task without a correlation id stands under its own.
CREATE TEMPORARY TABLE lone AS SELECT t.id FROM board.claim_task(board.enqueue('work'), 'A') AS t;
SELECT is(board.record_decision(l.id, 'A', 'fee', '1'), 'missing',
    'no correlation id')
  FROM lone AS l;
SELECT is((SELECT c.correlation_id FROM board.comparisons AS c, lone AS l
    WHERE c.task_id = l.id), (SELECT l.id::text FROM lone AS l),
    'the task''s id takes its place');

-- Configuration: what was decided under another one does not count, and can be decided anew.
SELECT is((SELECT count(*)::int FROM board.comparisons AS c WHERE c.kind = 'work' AND c.counts), 6,
    'six count');
SELECT lives_ok($$ SELECT board.configure_kind('work', ignored_paths => '{$.at}') $$, 'ignored paths change');
SELECT is((SELECT count(*)::int FROM board.comparisons AS c WHERE c.counts), 0, 'none counts any more');
SELECT is((SELECT count(*)::int FROM board.divergences), 0, 'no old divergence has to be explained');
SELECT is(board.record_actual('work', 'e5', 'fee', '{"a": 1, "at": "09:00"}'), 'missing', 'a new event');
SELECT is(board.record_decision(pg_temp.task('e5'), 'A', 'fee', '{"a": 1, "at": "09:01"}'), 'ignored',
    'differs at an ignored path only');
SELECT results_eq(
    $$ SELECT c.verdict, c.paths, c.ignored, c.counts FROM board.comparisons AS c
           WHERE c.correlation_id = 'e5' $$,
    $$ VALUES ('ignored', '{}'::text[], '{$.at}'::text[], true) $$, 'which is said');
SELECT is(board.record_decision(pg_temp.task('e2'), 'A', 'fee',
    '{"items": [{"price": 1}, {"price": 2}]}'), 'matched',
    'the rewrite was mended: decided anew');
SELECT results_eq(
    $$ SELECT c.verdict, c.paths, c.counts, c.conflicts FROM board.comparisons AS c
           WHERE c.correlation_id = 'e2' $$,
    $$ VALUES ('matched', '{}'::text[], true, 0::bigint) $$, 'and counts');
SELECT results_eq(
    $$ SELECT e.side, e.reason, e.value FROM board.comparison_evidence AS e
           WHERE e.correlation_id = 'e2' $$,
    $$ VALUES ('decided', 'superseded', '{"items": [{"price": 1}, {"price": 3}]}'::jsonb) $$,
    'the decision from before is kept');
SELECT is(board.record_decision(pg_temp.task('e4'), 'A', 'fee', 'null'), 'matched', 'the same decision anew');
SELECT is((SELECT c.counts FROM board.comparisons AS c WHERE c.correlation_id = 'e4'), true, 'counts anew');
SELECT is(board.record_actual('work', 'e6', 'fee', '1'), 'missing', 'an actual from before a change');
SELECT lives_ok($$ SELECT board.configure_kind('work', ignored_paths => '{$.at,$.id}') $$, 'the change');
SELECT is(board.record_decision(pg_temp.task('e6'), 'A', 'fee', '1'), 'matched', 'and a decision after it');
SELECT is((SELECT c.counts FROM board.comparisons AS c WHERE c.correlation_id = 'e6'), true, 'count: the decision is what is on trial');

-- Live: there is nothing to compare with, but what the old one did is a fact.
CREATE TEMPORARY TABLE live AS SELECT pg_temp.task('e7', 'other') AS id;
SELECT is(board.record_decision(l.id, 'A', 'fee', '1'), 'live',
    'a live decision is not recorded')
  FROM live AS l;
SELECT is_empty($$ SELECT FROM board.comparisons AS c WHERE c.correlation_id = 'e7' $$, 'nothing is there');
SELECT is(board.record_actual('other', 'e7', 'fee', '1'), 'missing', 'an actual is');
SELECT is(board.record_decision(l.id, 'A', 'fee', '1'), 'live',
    'also not beside an actual')
  FROM live AS l;

-- Refusals.
SELECT throws_ok($$ SELECT board.record_decision(e.id, 'B', 'fee',
    '1')
  FROM e1 AS e $$, 'TB001', NULL, 'only its holder decides');
SELECT throws_ok($$ SELECT board.record_decision(e.id, 'A', 'fee', '1', attempt => 2)
    FROM e1 AS e $$, 'TB001', NULL,
    'and of that attempt only');
SELECT throws_ok($$ SELECT board.record_decision('00000000-0000-7000-8000-000000000000', 'A',
    'fee', '1') $$, 'TB002', NULL,
    'no such task');
SELECT throws_ok($$ SELECT board.record_decision(e.id, 'A', 'fee', NULL) FROM e1 AS e $$,
    '22023', 'invalid value for argument "decision"', 'SQL NULL is no decision');
SELECT throws_ok($$ SELECT board.record_decision(e.id, 'A', '',
    '1')
  FROM e1 AS e $$, '22023', 'invalid value for argument "step"', 'a step has a name');
SELECT throws_ok($$ SELECT board.record_actual('work', NULL, 'fee', '1') $$, '22023', 'invalid value for argument "correlation_id"',
    'an actual has an event');
SELECT throws_ok($$ SELECT board.record_actual('work', 'e1', 'fee', NULL) $$, '22023', 'invalid value for argument "actual"',
    'SQL NULL is no actual');
SELECT throws_ok(
    format($$ SELECT board.record_actual(%L, %L, %L, '1') $$,
        repeat('😀', 200), repeat('😀', 400), repeat('😀', 200)),
    '22023', NULL, 'what names a step is short enough for its key');

SELECT * FROM finish();
ROLLBACK;
