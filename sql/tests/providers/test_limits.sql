-- set_limit and drop_limit: what may be set, and what a change means for what has been used.
BEGIN;
SELECT plan(35);
DO $$ BEGIN
    PERFORM board.configure_provider('acme');
END $$;

SELECT results_eq($$ SELECT * FROM board.set_limit('acme', '1 second', 10) $$,
    $$ VALUES ('acme', 'call', interval '1 second', 10::bigint) $$, 'a limit is set');
SELECT is((board.set_limit('acme', '1 day', 1000)).max_units, 1000::bigint, 'and another beside it');
SELECT is((board.set_limit('acme', '24 hours', 5, actor => 'olga')).period, interval '1 day',
    '24 hours are the limit of one day');
SELECT results_eq(
    $$ SELECT l.period, l.max_units FROM board.provider_limits AS l ORDER BY l.period $$,
    $$ VALUES (interval '1 second', 10::bigint), ('1 day', 5) $$, 'there are two');
SELECT results_eq(
    $$ SELECT l.actor, l.target, l.detail ->> 'max_units' FROM board.audit_log AS l
        WHERE l.action = 'set_limit' ORDER BY l.seq DESC LIMIT 1 $$,
    $$ VALUES ('olga', 'provider:acme', '5') $$, 'who set it is in the audit log');

SELECT ok(t.granted, 'four of five are taken') FROM board.take('acme', cost => 4) AS t;
SELECT is((board.set_limit('acme', '1 day', 3)).max_units, 3::bigint,
    'the limit is lowered below what was used');
SELECT ok(NOT t.granted, 'nothing is granted then') FROM board.take('acme') AS t;
SELECT is((board.set_limit('acme', '1 day', 6)).max_units, 6::bigint, 'it is raised');
SELECT ok(t.granted, 'what was used before counts: two are left')
  FROM board.take('acme', cost => 2) AS t;
SELECT ok(NOT t.granted, 'and not three') FROM board.take('acme') AS t;

SELECT ok(board.drop_limit('acme', '1 day', actor => 'olga'), 'the day limit is dropped');
SELECT ok(NOT board.drop_limit('acme', '1 day'), 'once');
SELECT is((SELECT count(*) FROM board.audit_log AS l WHERE l.action = 'drop_limit'), 1::bigint,
    'and the log has it once');
SELECT ok(t.granted, 'the other limit alone holds') FROM board.take('acme', cost => 4) AS t;
SELECT is((board.set_limit('acme', '1 day', 6)).max_units, 6::bigint, 'the day limit comes back');
SELECT ok(NOT t.granted, 'with what was taken before and in between') FROM board.take('acme') AS t;
SELECT is((SELECT v.used FROM board.provider_budgets AS v
            WHERE v.period = '1 day' AND v.account = ''), 10::bigint, 'all of it');

-- A limit that is set later counts what is on record, of its unit, in its period, by account.
DO $$ BEGIN
    PERFORM board.configure_provider('late');
    PERFORM board.take('late', '', 2, '{"token": 300}');
    PERFORM board.take('late', 'key-1', 1, '{"token": 500}');
    PERFORM board.take('late', 'key-1', 1, '{"image": 1}');
END $$;
UPDATE board.usage_records AS u SET taken_at = u.taken_at - interval '2 hours'
 WHERE u.provider = 'late' AND u.units ? 'image';
DO $$ BEGIN
    PERFORM board.set_limit('late', '1 hour', 1000, unit => 'token');
    PERFORM board.set_limit('late', '1 hour', 10);
    PERFORM board.set_limit('late', '3 hours', 10, unit => 'image');
    PERFORM board.set_limit('late', '1 hour', 10, unit => 'image');
END $$;
SELECT results_eq(
    $$ SELECT v.account, v.unit, v.period, v.used FROM board.provider_budgets AS v
        WHERE v.provider = 'late' ORDER BY v.account, v.unit, v.period $$,
    $$ VALUES ('', 'call', interval '1 hour', 2::bigint), ('', 'image', '1 hour', 0),
              ('', 'image', '3 hours', 0), ('', 'token', '1 hour', 300),
              ('key-1', 'call', '1 hour', 1), ('key-1', 'image', '1 hour', 0),
              ('key-1', 'image', '3 hours', 1), ('key-1', 'token', '1 hour', 500) $$,
    'what was used before the limit was set counts');
SELECT ok(NOT t.granted AND t.retry_after BETWEEN '59 minutes' AND '62 minutes',
    'and is waited for: ' || t.retry_after)
  FROM board.take('late', 'key-1', 1, '{"token": 501}') AS t;
SELECT ok(t.granted, 'what is left is granted')
  FROM board.take('late', 'key-1', 1, '{"token": 500}') AS t;
SELECT is((SELECT sum(c.n) FROM board.budgets AS b CROSS JOIN LATERAL unnest(b.counts) AS c (n)
            WHERE b.provider = 'late' AND b.account = 'key-1' AND b.unit = 'image'
              AND b.period = '3 hours'), 1::numeric, 'in the sub-window in which it was used');
SELECT is((SELECT b.counts[1] FROM board.budgets AS b
            WHERE b.provider = 'late' AND b.account = 'key-1' AND b.unit = 'image'
              AND b.period = '3 hours'), 0::bigint, 'and not as if it were now');
SELECT ok(board.drop_limit('late', '1 hour', 'token'), 'a limit is dropped by unit and period');
SELECT is((SELECT count(*) FROM board.provider_limits AS l WHERE l.provider = 'late'), 3::bigint,
    'and no other');

SELECT throws_ok($$ SELECT board.set_limit('nobody', '1 day', 1) $$, '22023',
    'invalid value for argument "provider"', 'a provider that is not known');
SELECT throws_ok(format('SELECT board.set_limit(''acme'', %L, 1)', p.period), '22023',
    'invalid value for argument "period"', 'period ' || coalesce(p.period, 'NULL'))
  FROM (VALUES (NULL), ('0'), ('-1 day'), ('1 month'), ('367 days')) AS p (period);
SELECT throws_ok(format('SELECT board.set_limit(''acme'', ''1 day'', %s)', m.max_units), '22023',
    'invalid value for argument "max_units"', 'max_units ' || m.max_units)
  FROM (VALUES ('NULL'), ('0'), ('1000000000000001')) AS m (max_units);
SELECT throws_ok($$ SELECT board.set_limit('acme', '1 day', 1, unit => '') $$, '22023',
    'invalid value for argument "unit"', 'a unit has a name');

SELECT * FROM finish();
ROLLBACK;
