-- set_limit and drop_limit: what may be set, and what a change means for what has been used.
BEGIN;
SELECT plan(26);
DO $$ BEGIN
    PERFORM board.configure_provider('acme');
END $$;

SELECT results_eq($$ SELECT * FROM board.set_limit('acme', '1 second', 10) $$,
    $$ VALUES ('acme', interval '1 second', 10) $$, 'a limit is set');
SELECT is((board.set_limit('acme', '1 day', 1000)).max_calls, 1000, 'and another beside it');
SELECT is((board.set_limit('acme', '24 hours', 5, actor => 'olga')).period, interval '1 day',
    '24 hours are the limit of one day');
SELECT results_eq(
    $$ SELECT l.period, l.max_calls FROM board.provider_limits AS l ORDER BY l.period $$,
    $$ VALUES (interval '1 second', 10), ('1 day', 5) $$, 'there are two');
SELECT results_eq(
    $$ SELECT l.actor, l.target, l.detail ->> 'max_calls' FROM board.audit_log AS l
        WHERE l.action = 'set_limit' ORDER BY l.seq DESC LIMIT 1 $$,
    $$ VALUES ('olga', 'provider:acme', '5') $$, 'who set it is in the audit log');

SELECT ok(t.granted, 'four of five are taken') FROM board.take('acme', cost => 4) AS t;
SELECT is((board.set_limit('acme', '1 day', 3)).max_calls, 3,
    'the limit is lowered below what was used');
SELECT ok(NOT t.granted, 'nothing is granted then') FROM board.take('acme') AS t;
SELECT is((board.set_limit('acme', '1 day', 6)).max_calls, 6, 'it is raised');
SELECT ok(t.granted, 'what was used before counts: two are left')
  FROM board.take('acme', cost => 2) AS t;
SELECT ok(NOT t.granted, 'and not three') FROM board.take('acme') AS t;

SELECT ok(board.drop_limit('acme', '1 day', 'olga'), 'the day limit is dropped');
SELECT ok(NOT board.drop_limit('acme', '1 day'), 'once');
SELECT is((SELECT count(*) FROM board.audit_log AS l WHERE l.action = 'drop_limit'), 1::bigint,
    'and the log has it once');
SELECT ok(t.granted, 'the other limit alone holds') FROM board.take('acme', cost => 4) AS t;
SELECT is((board.set_limit('acme', '1 day', 6)).max_calls, 6, 'the day limit comes back');
SELECT ok(NOT t.granted, 'with what it had counted') FROM board.take('acme') AS t;

SELECT throws_ok($$ SELECT board.set_limit('nobody', '1 day', 1) $$, '22023',
    'invalid value for argument "provider"', 'a provider that is not known');
SELECT throws_ok(format('SELECT board.set_limit(''acme'', %L, 1)', p.period), '22023',
    'invalid value for argument "period"', 'period ' || coalesce(p.period, 'NULL'))
  FROM (VALUES (NULL), ('0'), ('-1 day'), ('1 month'), ('367 days')) AS p (period);
SELECT throws_ok(format('SELECT board.set_limit(''acme'', ''1 day'', %s)', m.max_calls), '22023',
    'invalid value for argument "max_calls"', 'max_calls ' || m.max_calls)
  FROM (VALUES ('NULL'), ('0'), ('1000000001')) AS m (max_calls);

SELECT * FROM finish();
ROLLBACK;
