-- give_back: what the caller took and did not use comes back, nobody else's, and never more.
BEGIN;
SELECT plan(36);
DO $$ BEGIN
    PERFORM board.configure_provider('acme');
    PERFORM board.configure_provider('free');
END $$;
DO $$ BEGIN
    PERFORM board.set_limit('acme', '1 second', 10);
    PERFORM board.set_limit('acme', '1 day', 10);
    PERFORM board.set_limit('acme', '1 day', 1000, 'token');
END $$;
CREATE TEMPORARY TABLE moment (at timestamptz);
INSERT INTO moment VALUES (clock_timestamp());
CREATE FUNCTION pg_temp.used(account text, unit text DEFAULT 'call') RETURNS bigint LANGUAGE sql
AS $$
    SELECT v.used FROM board.provider_budgets AS v
     WHERE v.provider = 'acme' AND v.account = used.account AND v.unit = used.unit
       AND v.period = '1 day' $$;

SELECT ok(t.granted, 'ten are taken') FROM board.take('acme', cost => 10) AS t;
SELECT is(board.give_back('acme', m.at, cost => 4), 4::bigint, 'four come back') FROM moment AS m;
SELECT is(pg_temp.used(''), 6::bigint, 'six are used');
SELECT is(board.give_back('acme', m.at, cost => 9), 6::bigint, 'of nine only the six that were used')
  FROM moment AS m;
SELECT is(board.give_back('acme', m.at), 0::bigint, 'then nothing') FROM moment AS m;
SELECT ok((SELECT bool_and(0 <= ALL (b.counts)) FROM board.budgets AS b),
    'and never less than nothing');
SELECT ok(t.granted, 'ten can be taken again') FROM board.take('acme', 'key-1', 10) AS t;
SELECT results_eq(
    $$ SELECT l.actor, l.target, l.detail FROM board.audit_log AS l
        WHERE l.action = 'give_back' ORDER BY l.seq LIMIT 1 $$,
    $$ SELECT current_user::text COLLATE "default", 'provider:acme',
              '{"account": "", "units": {"call": 4}}'::jsonb $$,
    'who gave back what is in the audit log');
SELECT is((SELECT count(*) FROM board.audit_log AS l WHERE l.action = 'give_back'), 2::bigint,
    'when something came back');

-- Only what the caller took.
CREATE ROLE give_back_other;
GRANT board_agent TO give_back_other;
CREATE TEMPORARY TABLE answer (who text, given bigint);
GRANT ALL ON answer, moment TO give_back_other;
SET LOCAL ROLE give_back_other;
INSERT INTO answer SELECT 'other', board.give_back('acme', m.at, 'key-1', 5) FROM moment AS m;
INSERT INTO answer SELECT 'own', t.granted::int FROM board.take('acme', 'key-3', 4) AS t;
INSERT INTO answer SELECT 'own', board.give_back('acme', m.at, 'key-3', 5) FROM moment AS m;
RESET ROLE;
SELECT results_eq($$ SELECT a.given FROM answer AS a WHERE a.who = 'other' $$, ARRAY[0::bigint],
    'what another role took does not come back');
SELECT is(pg_temp.used('key-1'), 10::bigint, 'and still counts');
SELECT results_eq($$ SELECT a.given FROM answer AS a WHERE a.who = 'own' $$,
    ARRAY[1::bigint, 4::bigint], 'what it took itself does');

-- What a call of a task took is the task's.
CREATE TEMPORARY TABLE task AS SELECT board.enqueue('work') AS id;
SELECT is((board.begin_call(t.id, 'a', 's', 'acme', account => 'key-4')).decision, 'send',
    'a call of a task')
  FROM task AS t WHERE EXISTS (SELECT FROM board.claim('a'));
SELECT is(board.give_back('acme', m.at, 'key-4'), 0::bigint, 'is not given back') FROM moment AS m;
SELECT is(pg_temp.used('key-4'), 1::bigint, 'but settled with finish_call');

-- Where it was counted.
SELECT ok(t.granted, 'two are taken') FROM board.take('acme', 'key-2', 2) AS t;
UPDATE board.budgets SET clock_at = clock_at - interval '1 hour', instant = instant - 3600000000
 WHERE account = 'key-2';
UPDATE board.usage_records SET taken_at = taken_at - interval '1 hour' WHERE account = 'key-2';
SELECT ok(t.granted, 'an hour later three') FROM board.take('acme', 'key-2', 3) AS t;
SELECT is(board.give_back('acme', m.at - '1 hour'::interval, 'key-2', 2), 2::bigint,
    'the first two come back') FROM moment AS m;
SELECT results_eq(
    $$ SELECT v.period, v.used FROM board.provider_budgets AS v
        WHERE v.account = 'key-2' AND v.unit = 'call' ORDER BY v.period $$,
    $$ VALUES (interval '1 second', 3::bigint), ('1 day', 3) $$,
    'to the day, which still counted them; the second does not give away what others took');
SELECT is(
    (SELECT b.counts[1] FROM board.budgets AS b
      WHERE b.account = 'key-2' AND b.unit = 'call' AND b.period = '1 day'), 3::bigint,
    'and the age of the later three is not touched');

-- Units.
SELECT ok(t.granted, 'tokens') FROM board.take('acme', 'key-5', 1, '{"token": 700}') AS t;
SELECT ok(t.granted, 'and more') FROM board.take('acme', 'key-5', 1, '{"token": 200}') AS t;
SELECT is(board.give_back('acme', m.at, 'key-5', 1, '{"token": 800}'), 1::bigint, 'one call')
  FROM moment AS m;
SELECT is(pg_temp.used('key-5', 'token'), 100::bigint, 'and its tokens come back, the oldest first');
SELECT is(pg_temp.used('key-5'), 1::bigint, 'the other call counts');
SELECT results_eq(
    $$ SELECT u.units FROM board.usage_records AS u WHERE u.account = 'key-5' ORDER BY u.id $$,
    $$ VALUES ('{"call": 0, "token": 0}'::jsonb), ('{"call": 1, "token": 100}') $$,
    'the records say so');
SELECT is(board.give_back('acme', m.at, 'key-2', 1, '{"token": 5}'), 1::bigint,
    'a unit that was not taken gives nothing back') FROM moment AS m;
SELECT is(pg_temp.used('key-2', 'token'), 0::bigint, 'and nothing less than nothing is counted');

SELECT is(board.give_back('acme', clock_timestamp() + '1 hour', 'key-1', 1), 0::bigint,
    'nothing has been taken since a moment to come');
SELECT is(board.give_back('free', clock_timestamp()), 0::bigint, 'nothing taken, nothing to give back');
SELECT throws_ok($$ SELECT board.give_back('nobody', clock_timestamp()) $$, '22023',
    'invalid value for argument "provider"', 'a provider that is not known');
SELECT throws_ok($$ SELECT board.give_back('acme', NULL) $$, '22023',
    'invalid value for argument "taken_at"', 'no moment');
SELECT throws_ok($$ SELECT board.give_back('acme', '-infinity') $$, '22023',
    'invalid value for argument "taken_at"', 'no moment either');
SELECT throws_ok($$ SELECT board.give_back('acme', clock_timestamp(), cost => 0) $$, '22023',
    'invalid value for argument "cost"', 'nothing');
SELECT throws_ok($$ SELECT board.give_back('acme', clock_timestamp(), units => '[]') $$, '22023',
    'invalid value for argument "units"', 'units are an object');
SELECT throws_ok($$ SELECT board.give_back('acme', clock_timestamp(), cost => 5000000000000) $$,
    '22023', 'invalid value for argument "cost"', 'out of range');

SELECT * FROM finish();
ROLLBACK;
