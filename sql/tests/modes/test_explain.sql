-- A person explains a difference: who, when, what; once per wording; not what agrees; and only as
-- long as the two sides stay what they were.
BEGIN;
SELECT plan(27);

CREATE FUNCTION pg_temp.task(event text) RETURNS uuid LANGUAGE sql
AS $$ SELECT t.id FROM board.claim_task(board.enqueue('work', correlation_id => event),
    'A') AS t $$;
CREATE FUNCTION pg_temp.explained() RETURNS int LANGUAGE sql
AS $$ SELECT count(*)::int FROM board.audit_log AS a WHERE a.action = 'explain_divergence' $$;

SELECT board.promote('work', m.mode, 'ana') FROM unnest('{dry_run,shadow}'::text[]) AS m (mode);
SELECT board.record_actual('work', 'e1', 'fee', '100');
SELECT board.record_decision(pg_temp.task('e1'), 'A', 'fee', '101');
SELECT board.record_actual('work', 'e2', 'fee', '1');
SELECT board.record_decision(pg_temp.task('e2'), 'A', 'fee', '1');
SELECT board.record_decision(pg_temp.task('e3'), 'A', 'fee', '1');

SELECT is((SELECT r.unexplained FROM board.promotion_report('work') AS r), 1::bigint, 'one is unexplained');
SELECT is(board.explain_divergence('work', 'e1', 'fee', 'ana', 'half a cent'), 'explained', 'ana explains it');
SELECT results_eq(
    $$ SELECT c.verdict, c.explained_by, c.explanation, c.explained_at IS NOT NULL, c.paths
           FROM board.comparisons AS c
        WHERE c.correlation_id = 'e1' $$,
    $$ VALUES ('diverged', 'ana', 'half a cent', true, '{$}'::text[]) $$, 'it is still a divergence, now with her words');
SELECT is((SELECT r.unexplained FROM board.promotion_report('work') AS r), 0::bigint, 'none is unexplained');
SELECT is((SELECT r.diverged FROM board.promotion_report('work') AS r), 1::bigint, 'one still counts as a disagreement');
SELECT is((SELECT count(*)::int FROM board.divergences), 1, 'it can still be read among the divergences');
SELECT results_eq(
    $$ SELECT a.target, a.actor, a.detail FROM board.audit_log AS a
           WHERE a.action = 'explain_divergence' $$,
    $$ VALUES ('kind:work', 'ana',
           '{"correlation_id": "e1", "step": "fee", "verdict": "diverged",
             "paths": ["$"], "note": "half a cent"}'::jsonb) $$,
    'and the audit log has it');
SELECT is(board.explain_divergence('work', 'e1', 'fee', 'ana', 'half a cent'), 'explained', 'said again');
SELECT is(pg_temp.explained(), 1, 'it is not logged again');
SELECT is(board.explain_divergence('work', 'e1', 'fee', 'ben', 'the old script floors'), 'explained',
    'ben knows better');
SELECT is(pg_temp.explained(), 2, 'both are in the log');
SELECT is((SELECT c.explained_by FROM board.comparisons AS c WHERE c.correlation_id = 'e1'), 'ben',
    'the last word stands');

-- A missing side can be explained too; when it comes in after all, that was said of something else.
SELECT is(board.explain_divergence('work', 'e3', 'fee', 'ana', 'the old one skips drafts'), 'explained',
    'a missing side');
SELECT is(board.record_actual('work', 'e3', 'fee', '2'), 'diverged', 'comes in after all, and differs');
SELECT is((SELECT c.explained_by FROM board.comparisons AS c WHERE c.correlation_id = 'e3'), NULL,
    'the explanation has fallen away');
SELECT is((SELECT r.unexplained FROM board.promotion_report('work') AS r), 1::bigint, 'and there is something to explain again');
SELECT is(board.record_actual('work', 'e1', 'fee', '100.0'), 'diverged', 'a record that says the same');
SELECT is((SELECT c.explained_by FROM board.comparisons AS c WHERE c.correlation_id = 'e1'), 'ben',
    'leaves an explanation alone');
SELECT is(board.record_actual('work', 'e1', 'fee', '7'), 'conflict', 'so does one that is kept as evidence only');
SELECT is((SELECT c.explained_by FROM board.comparisons AS c WHERE c.correlation_id = 'e1'), 'ben',
    'for the row is what it was');

-- Refusals.
SELECT throws_ok($$ SELECT board.explain_divergence('work', 'e2', 'fee', 'ana', 'x') $$, 'TB003', 'nothing to explain',
    'what agrees needs no explanation');
SELECT throws_ok($$ SELECT board.explain_divergence('work', 'e9', 'fee', 'ana', 'x') $$, '22023', 'invalid value for argument "correlation_id"',
    'no such event');
SELECT throws_ok($$ SELECT board.explain_divergence('work', 'e1', 'mail', 'ana', 'x') $$,
    '22023', NULL, 'no such step');
SELECT throws_ok($$ SELECT board.explain_divergence('work', 'e1', 'fee', 'ana', E' \n') $$,
    '22023', 'invalid value for argument "note"', 'blanks explain nothing');
SELECT throws_ok($$ SELECT board.explain_divergence('work', 'e1', 'fee', 'ana', NULL) $$,
    '22023', 'invalid value for argument "note"', 'nor does NULL');
SELECT throws_ok($$ SELECT board.explain_divergence('work', 'e1', 'fee', 'ana', repeat('x',
    10001)) $$, '22023', 'invalid value for argument "note"',
    'nor does a novel');
SELECT throws_ok($$ SELECT board.explain_divergence('work', 'e1', 'fee', '', 'x') $$, '22023', 'invalid value for argument "actor"',
    'a person has a name');

SELECT * FROM finish();
ROLLBACK;
