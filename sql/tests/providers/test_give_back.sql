-- give_back: what was taken and not used comes back, nobody else's, and never below zero.
BEGIN;
SELECT plan(18);
DO $$ BEGIN
    PERFORM board.configure_provider('acme');
    PERFORM board.configure_provider('free');
END $$;
DO $$ BEGIN
    PERFORM board.set_limit('acme', '1 second', 10);
    PERFORM board.set_limit('acme', '1 day', 10);
END $$;
CREATE TEMPORARY TABLE moment (at timestamptz);
INSERT INTO moment VALUES (clock_timestamp());

SELECT ok(t.granted, 'ten are taken') FROM board.take('acme', cost => 10) AS t;
SELECT is(board.give_back('acme', m.at, cost => 4), 4, 'four come back') FROM moment AS m;
SELECT is(
    (SELECT v.used FROM board.provider_budgets AS v
      WHERE v.provider = 'acme' AND v.period = '1 day'),
    6::bigint, 'six are used');
SELECT is(board.give_back('acme', m.at, cost => 9), 6, 'of nine only the six that were used')
  FROM moment AS m;
SELECT is(board.give_back('acme', m.at), 0, 'then nothing') FROM moment AS m;
SELECT ok((SELECT bool_and(0 <= ALL (b.counts)) FROM board.budgets AS b),
    'and never less than nothing');
SELECT ok(t.granted, 'ten can be taken again') FROM board.take('acme', 'key-1', 10) AS t;

SELECT ok(t.granted, 'two are taken') FROM board.take('acme', 'key-2', 2) AS t;
UPDATE board.budgets SET clock_at = clock_at - interval '1 hour', instant = instant - 3600000000
 WHERE account = 'key-2';
SELECT ok(t.granted, 'an hour later three') FROM board.take('acme', 'key-2', 3) AS t;
SELECT is(board.give_back('acme', m.at - '1 hour'::interval, 'key-2', 2), 2,
    'the first two come back') FROM moment AS m;
SELECT results_eq(
    $$ SELECT v.period, v.used FROM board.provider_budgets AS v
        WHERE v.account = 'key-2' ORDER BY v.period $$,
    $$ VALUES (interval '1 second', 3::bigint), ('1 day', 3) $$,
    'to the day, which still counted them; the second does not give away what others took');
SELECT is(
    (SELECT b.counts[1] FROM board.budgets AS b WHERE b.account = 'key-2' AND b.period = '1 day'),
    3,
    'and the age of the later three is not touched');

SELECT is(board.give_back('acme', clock_timestamp() + '1 hour', 'key-1', 1), 0,
    'nothing has been taken since a moment to come');
SELECT is(board.give_back('free', clock_timestamp()), 0, 'no limits: nothing to give back');
SELECT throws_ok($$ SELECT board.give_back('nobody', clock_timestamp()) $$, '22023',
    'invalid value for argument "provider"', 'a provider that is not known');
SELECT throws_ok($$ SELECT board.give_back('acme', NULL) $$, '22023',
    'invalid value for argument "taken_at"', 'no moment');
SELECT throws_ok($$ SELECT board.give_back('acme', '-infinity') $$, '22023',
    'invalid value for argument "taken_at"', 'no moment either');
SELECT throws_ok($$ SELECT board.give_back('acme', clock_timestamp(), cost => 0) $$, '22023',
    'invalid value for argument "cost"', 'nothing');

SELECT * FROM finish();
ROLLBACK;
