-- The view provider_budgets: a row per provider, account and limit, as it is at this moment.
BEGIN;
SELECT plan(11);

SELECT is_empty($$ SELECT FROM board.provider_budgets $$, 'no provider, no row');
DO $$ BEGIN
    PERFORM board.configure_provider('acme');
END $$;
SELECT results_eq(
    $$ SELECT v.provider, v.account, v.unit, v.period, v.max_units, v.used, v.remaining,
              v.reason, v.throttled_until, v.paused,
              v.next_free_at BETWEEN clock_timestamp() - '1 minute'::interval AND clock_timestamp()
         FROM board.provider_budgets AS v $$,
    $$ VALUES ('acme', '', NULL::text, NULL::interval, NULL::bigint, NULL::bigint,
               NULL::bigint, NULL::text, NULL::timestamptz, false, true) $$,
    'without limits: one row, nothing to count');

DO $$ BEGIN
    PERFORM board.set_limit('acme', '1 hour', 5);
    PERFORM board.set_limit('acme', '1 day', 8);
END $$;
SELECT results_eq(
    $$ SELECT v.account, v.period, v.used, v.remaining FROM board.provider_budgets AS v $$,
    $$ VALUES ('', interval '1 hour', 0::bigint, 5::bigint), ('', '1 day', 0, 8) $$,
    'before the first take: all is left');
SELECT ok(t.granted, 'five are taken') FROM board.take('acme', 'key-1', 5) AS t;
SELECT results_eq(
    $$ SELECT v.account, v.period, v.used, v.remaining FROM board.provider_budgets AS v $$,
    $$ VALUES ('', interval '1 hour', 0::bigint, 5::bigint), ('', '1 day', 0, 8),
              ('key-1', '1 hour', 5, 0), ('key-1', '1 day', 5, 3) $$,
    'an account that took has rows of its own');
SELECT ok((SELECT count(DISTINCT v.next_free_at) = 1 AND min(v.next_free_at)
                  BETWEEN clock_timestamp() + '59 minutes' AND clock_timestamp() + '62 minutes'
             FROM board.provider_budgets AS v WHERE v.account = 'key-1'),
    'its next call is free when all limits have room');
SELECT ok((SELECT bool_and(
                  v.next_free_at = board._budget_free_at('acme', 'key-1', 1, clock_timestamp()))
             FROM board.provider_budgets AS v WHERE v.account = 'key-1'),
    'which is what claim goes by');

SELECT set_eq($$ SELECT v.reason FROM board.provider_budgets AS v WHERE v.account = 'key-1' $$,
    ARRAY['exhausted'], 'and why not now');
DO $$ BEGIN
    PERFORM board.set_limit('acme', '1 minute', 100, 'token');
    PERFORM board.take('acme', 'key-2', 1, '{"token": 30}');
    PERFORM board.throttle('acme', 'key-2', '2 hours');
END $$;
SELECT results_eq(
    $$ SELECT v.unit, v.period, v.used, v.remaining, v.reason FROM board.provider_budgets AS v
        WHERE v.account = 'key-2' $$,
    $$ VALUES ('call', interval '1 hour', 1::bigint, 4::bigint, 'throttled'),
              ('call', '1 day', 1, 7, 'throttled'),
              ('token', '1 minute', 30, 70, 'throttled') $$,
    'each unit has its limits, and a throttle is said');
SELECT ok((SELECT bool_and(v.next_free_at = v.throttled_until)
             FROM board.provider_budgets AS v WHERE v.account = 'key-2'),
    'which ends then');

UPDATE board.providers SET paused_at = clock_timestamp(), paused_by = 'olga';
SELECT ok((SELECT bool_and(v.paused AND v.next_free_at IS NULL AND v.reason = 'paused')
             FROM board.provider_budgets AS v),
    'paused: nobody knows when, and why is said');

SELECT * FROM finish();
ROLLBACK;
