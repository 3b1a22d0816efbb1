-- What promotion to live asks for: enough comparisons, long enough, nothing unexplained, and the
-- lower end of the Wilson interval high enough. Each alone holds it up, and a refusal names all.
BEGIN;
SELECT plan(49);

-- The bound itself. 25 of 25 and 35 of 35 by hand: n / (n + 3.8416).
SELECT is(round(board._wilson_low(25, 25), 6), 0.866804, '25 of 25');
SELECT is(round(board._wilson_low(34, 34), 6), 0.898482, '34 of 34 is just short of 0.9');
SELECT is(round(board._wilson_low(35, 35), 6), 0.901096, '35 of 35 is just beyond');
SELECT is(round(board._wilson_low(90, 100), 6), 0.825633, '90 of 100');
SELECT is(round(board._wilson_low(1, 10), 6), 0.017876, '1 of 10');
SELECT is(round(board._wilson_low(0, 10), 12), 0.000000000000, 'none of 10');
SELECT is(board._wilson_low(0, 0), 0::numeric, 'nothing proves nothing');
SELECT is_empty($$
    SELECT n, k FROM generate_series(1, 60) AS n, generate_series(0, n) AS k
     WHERE board._wilson_low(k, n) NOT BETWEEN -1e-12 AND k::numeric / n
        OR k > 0 AND board._wilson_low(k, n) <= board._wilson_low(k - 1, n)
$$, 'never above what was seen, and growing with it');

-- So many events on which both sides said these words; the kind must be in shadow.
CREATE FUNCTION pg_temp.events(prefix text, how_many int, decided jsonb DEFAULT '1',
    actual jsonb DEFAULT '1', kind text DEFAULT 'work')
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _task record;
BEGIN
    FOR i IN 1 .. how_many LOOP
        PERFORM board.record_actual(kind, prefix || i, 'fee', actual);
        SELECT t.id INTO _task
          FROM board.claim_task(board.enqueue(kind, correlation_id => prefix || i), 'A') AS t;
        PERFORM board.record_decision(_task.id, 'A', 'fee', decided);
    END LOOP;
END;
$$;
-- Time that has passed in shadow.
CREATE FUNCTION pg_temp.age(how_long interval, kind text DEFAULT 'work') RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    _since timestamptz;
BEGIN
    UPDATE board.kinds AS k
       SET mode_since = k.mode_since - how_long
     WHERE k.name = age.kind
    RETURNING k.mode_since INTO _since;
    UPDATE board.compared_steps AS c
       SET mode_since = _since, recorded_at = c.recorded_at - how_long
     WHERE c.kind = age.kind AND c.mode_since = _since + how_long;
    UPDATE board.comparison_evidence AS e
       SET mode_since = _since
     WHERE e.kind = age.kind AND e.mode_since = _since + how_long;
END;
$$;
-- The detail of a refusal.
CREATE FUNCTION pg_temp.refusal(kind text, mode text DEFAULT 'live',
    reason text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    _detail text;
BEGIN
    RETURN 'not refused: ' || board.promote(kind, mode, 'ana', reason);
EXCEPTION WHEN SQLSTATE 'TB007' THEN
    GET STACKED DIAGNOSTICS _detail = PG_EXCEPTION_DETAIL;
    RETURN _detail;
END;
$$;

-- A kind that asks for 20 comparisons and no particular time.
SELECT board.promote('work', 'dry_run', 'ana');
SELECT board.configure_kind('work', min_comparisons => 20, min_shadow_time => '0');
SELECT board.promote('work', 'shadow', 'ana');

SELECT is(pg_temp.refusal('work'), 'Unmet: 0 of 20 comparisons; agreement is at least 0.0000 (0 of 0), 0.9 is needed.',
    'nothing compared yet');
SELECT pg_temp.events('a', 19);
SELECT is(pg_temp.refusal('work'), 'Unmet: 19 of 20 comparisons; agreement is at least 0.8318 (19 of 19), 0.9 is needed.',
    '19 of 19');
SELECT pg_temp.events('b', 6);
SELECT is(pg_temp.refusal('work'), 'Unmet: agreement is at least 0.8668 (25 of 25), 0.9 is needed.',
    '25 of 25 are enough comparisons, but not enough agreement');
SELECT is((SELECT r.agreement_low FROM board.promotion_report('work') AS r), 0.8668, 'which the report says too');
SELECT is((SELECT r.agreement FROM board.promotion_report('work') AS r), 1.0000, 'although all agree');
SELECT pg_temp.events('c', 9);
SELECT is(pg_temp.refusal('work'), 'Unmet: agreement is at least 0.8984 (34 of 34), 0.9 is needed.',
    '34 of 34 is still too few');
SELECT pg_temp.events('d', 1);
SELECT ok(r.ready AND r.unmet = '{}' AND r.agreement_low = 0.9010,
    '35 of 35 passes')
  FROM board.promotion_report('work') AS r;

-- One divergence: unexplained it blocks; explained it is a disagreement among many.
SELECT pg_temp.events('e', 1, '2');
SELECT is(pg_temp.refusal('work'), 'Unmet: 1 unexplained divergences; agreement is at least 0.8582 (35 of 36), 0.9 is needed.',
    'one divergence costs agreement, too');
SELECT pg_temp.events('f', 40);
SELECT is(pg_temp.refusal('work'), 'Unmet: 1 unexplained divergences.', '75 of 76: now it is only in the way');
SELECT board.explain_divergence('work', 'e1', 'fee', 'ana', 'a known rounding error');
SELECT ok(r.ready AND r.diverged = 1 AND r.agreed = 75 AND r.comparisons = 76 AND r.unexplained = 0,
    'explained, it is not; and it still counts')
  FROM board.promotion_report('work') AS r;
SELECT is(r.agreement_low, trunc(board._wilson_low(75, 76), 4),
    'as a disagreement')
  FROM board.promotion_report('work') AS r;

-- One side only: not counted while it may still come, then a disagreement that must be explained.
SELECT board.record_actual('work', 'g1', 'fee', '1');
SELECT ok(r.ready AND r.waiting = 1 AND r.missing = 0,
    'a side that may still come is waited for')
  FROM board.promotion_report('work') AS r;
SELECT pg_temp.age('59 minutes');
SELECT ok(r.ready AND r.waiting = 1 AND r.missing = 0,
    'for an hour')
  FROM board.promotion_report('work') AS r;
SELECT pg_temp.age('1 minute');
SELECT ok(NOT r.ready AND r.waiting = 0 AND r.missing = 1,
    'then it is missing')
  FROM board.promotion_report('work') AS r;
SELECT is(pg_temp.refusal('work'), 'Unmet: 1 unexplained divergences.', 'and has to be explained');
SELECT results_eq(
    $$ SELECT d.correlation_id, d.verdict, d.differences FROM board.divergences AS d
           WHERE d.explained_by IS NULL $$,
    $$ VALUES ('g1', 'missing', 'the new automation decided nothing') $$, 'it is listed');
SELECT board.explain_divergence('work', 'g1', 'fee', 'ana', 'a test event');
SELECT ok(r.ready AND r.comparisons = 76 AND r.agreement_low = trunc(board._wilson_low(75, 77), 4),
    'it is no comparison, but a disagreement')
  FROM board.promotion_report('work') AS r;

-- Differences at ignored paths are agreement.
SELECT board.promote('noisy', 'dry_run', 'ana');
SELECT board.configure_kind('noisy', min_comparisons => 35, min_shadow_time => '0',
    ignored_paths => '{$.at}');
SELECT board.promote('noisy', 'shadow', 'ana');
SELECT pg_temp.events('a', 35, '{"a": 1, "at": 1}', '{"a": 1, "at": 2}', 'noisy');
SELECT ok(r.ready AND r.agreed = 35,
    'noise is no disagreement')
  FROM board.promotion_report('noisy') AS r;

-- A second, different record is told of.
SELECT is(board.record_actual('noisy', 'a1', 'fee', '{"a": 2}'), 'conflict', 'the old automation contradicts itself, once');
SELECT is(board.record_actual('noisy', 'a1', 'fee', '{"a": 3}'), 'conflict', 'and twice, on the same step');
SELECT is((SELECT r.conflicts FROM board.promotion_report('noisy') AS r), 1::bigint, 'the report counts that step');

-- Too short a time.
SELECT board.promote('quick', 'dry_run', 'ana');
SELECT board.configure_kind('quick', min_comparisons => 35);
SELECT board.promote('quick', 'shadow', 'ana');
SELECT pg_temp.events('a', 35, kind => 'quick');
SELECT matches(pg_temp.refusal('quick'), '^Unmet: in shadow for 00:00:0\d of 1 day\.$', 'a day is asked for by default');
SELECT pg_temp.age('23:59', 'quick');
SELECT is(pg_temp.refusal('quick'), 'Unmet: in shadow for 23:59:00 of 1 day.', 'a minute short');
SELECT pg_temp.age('1 minute', 'quick');
SELECT ok(r.ready, 'after a day it may') FROM board.promotion_report('quick') AS r;

-- Every reason at once.
SELECT board.promote('hopeless', 'dry_run', 'ana');
SELECT board.promote('hopeless', 'shadow', 'ana');
SELECT pg_temp.events('a', 3, kind => 'hopeless');
SELECT pg_temp.events('b', 2, '2', kind => 'hopeless');
SELECT matches(
    pg_temp.refusal('hopeless'),
    '^Unmet: 5 of 100 comparisons; in shadow for 00:00:0\d of 1 day; 2 unexplained divergences; agreement is at least 0\.2307 \(3 of 5\), 0\.9 is needed\.$',
    'a refusal lists all reasons');
SELECT is(cardinality(r.unmet), 4,
    'so does the report')
  FROM board.promotion_report('hopeless') AS r;
SELECT ok(NOT r.ready AND r.next_mode = 'live' AND r.min_comparisons = 100
    AND r.min_agreement = 0.9 AND r.min_shadow_time = '1 day',
    'with what is asked for')
  FROM board.promotion_report('hopeless') AS r;

-- A changed configuration starts the count, and the clock, again.
SELECT board.configure_kind('work', ignored_paths => '{$.x}');
SELECT ok(r.comparisons = 0 AND r.diverged = 0 AND r.missing = 0 AND r.time_in_mode < '1 minute', 'new ignored paths: from zero')
  FROM board.promotion_report('work') AS r;
SELECT is(pg_temp.refusal('work'), 'Unmet: 0 of 20 comparisons; agreement is at least 0.0000 (0 of 0), 0.9 is needed.',
    'and refused');
SELECT pg_temp.events('h', 3);
SELECT is(r.comparisons, 3::bigint,
    'what comes now counts')
  FROM board.promotion_report('work') AS r;
SELECT board.configure_kind('work', provider_account => 'eu');
SELECT is(r.comparisons, 0::bigint,
    'another account: from zero')
  FROM board.promotion_report('work') AS r;
SELECT pg_temp.events('i', 3);
SELECT board.configure_kind('work', max_failures => 5);
SELECT is(r.comparisons, 3::bigint,
    'another number of strikes changes nothing that is compared')
  FROM board.promotion_report('work') AS r;
SELECT board.promote('work', 'dry_run', 'ana');
SELECT pg_temp.events('j', 3);
SELECT board.promote('work', 'shadow', 'ana');
SELECT is(r.comparisons, 0::bigint,
    'what was compared in dry_run does not count in shadow')
  FROM board.promotion_report('work') AS r;

-- A lower bar is a changed configuration as well.
SELECT pg_temp.events('k', 25);
SELECT board.configure_kind('work', min_agreement => 0.85);
SELECT is(r.comparisons, 0::bigint,
    'a lower bar: from zero')
  FROM board.promotion_report('work') AS r;

-- The report of other modes.
SELECT board.promote('plain', 'dry_run', 'ana');
SELECT ok(r.mode = 'dry_run' AND r.next_mode = 'shadow' AND r.ready AND r.unmet = '{}', 'from dry_run to shadow nothing is asked for')
  FROM board.promotion_report('plain') AS r;
SELECT board.enqueue('never configured');
SELECT ok(r.mode = 'live' AND r.ready IS NULL AND r.time_in_mode IS NULL,
    'a kind without policy is live')
  FROM board.promotion_report('never configured') AS r;
SELECT board.configure_kind('real');
SELECT ok(r.mode = 'live' AND r.next_mode IS NULL AND r.ready IS NULL AND r.unmet = '{}',
    'live is the top')
  FROM board.promotion_report('real') AS r;
SELECT throws_ok($$ SELECT board.promotion_report('nobody') $$, '22023', 'invalid value for argument "kind"',
    'no such kind');
SELECT throws_ok($$ SELECT board.promotion_report(NULL) $$, '22023', 'invalid value for argument "kind"',
    'no kind');

-- The work is bounded by the present era: an index alone, whatever lies before it.
INSERT INTO board.compared_steps (kind, correlation_id, step, mode, mode_since, recorded_at,
    actual, actual_at)
SELECT 'work', 'old' || n, 'fee', 'shadow', '2020-01-01', '2020-01-01', '1', '2020-01-01'
    FROM generate_series(1, 20000) AS n;
ANALYZE board.compared_steps;
CREATE TEMPORARY TABLE plan_lines (line text);
DO $$
DECLARE
    _line text;
BEGIN
    FOR _line IN
        EXPLAIN
        SELECT count(*) FILTER (WHERE c.verdict = 'missing' AND c.recorded_at < '2020-01-01'),
               count(c.explained_at)
          FROM board.compared_steps AS c
          JOIN board.kinds AS k ON k.name = c.kind AND k.mode_since = c.mode_since
         WHERE k.name = 'work'
    LOOP
        INSERT INTO plan_lines VALUES (_line);
    END LOOP;
END;
$$;
SELECT ok(EXISTS (SELECT FROM plan_lines AS p WHERE p.line ~ 'compared_steps_(gate|open)'), 'the gate reads an index');
SELECT ok(NOT EXISTS (SELECT FROM plan_lines AS p WHERE p.line ~ 'Seq Scan on compared_steps'), 'and not the table');

SELECT * FROM finish();
ROLLBACK;
