-- throttle and unthrottle: the provider's word counts, whatever the budget says.
BEGIN;
SELECT plan(23);
DO $$ BEGIN
    PERFORM board.configure_provider('acme');
END $$;

SELECT ok(board.throttle('acme', '', '0') <= clock_timestamp(), 'throttled for no time at all');
SELECT ok(t.granted, 'is not throttled') FROM board.take('acme') AS t;

SELECT ok(board.throttle('acme', '', '30 seconds') BETWEEN clock_timestamp() + '29 seconds'
          AND clock_timestamp() + '30 seconds', 'throttled for 30 seconds');
SELECT ok(NOT t.granted AND t.retry_after > '29 seconds' AND t.retry_after <= '30 seconds',
    'a provider without limits grants nothing until then') FROM board.take('acme') AS t;
SELECT ok(t.granted, 'another account goes on') FROM board.take('acme', 'key-1') AS t;
SELECT ok(board.throttle('acme', '', '1 second') > clock_timestamp() + '29 seconds',
    'a shorter word does not shorten it');
SELECT ok(board.throttle('acme', retry_after => '2 minutes') > clock_timestamp() + '119 seconds',
    'a longer one lengthens it');
SELECT ok((SELECT v.throttled_until > clock_timestamp() + '119 seconds'
                  AND v.next_free_at = v.throttled_until
             FROM board.provider_budgets AS v WHERE v.provider = 'acme' AND v.account = ''),
    'the view shows until when');
SELECT ok(
    board._budget_reason('acme', '', clock_timestamp()) ~ '^provider "acme" is throttled until 20',
    'and explain will say so');

UPDATE board.throttles SET throttled_until = clock_timestamp();
SELECT ok(t.granted, 'when it is over, it is over') FROM board.take('acme') AS t;
SELECT is((SELECT v.throttled_until FROM board.provider_budgets AS v
            WHERE v.provider = 'acme' AND v.account = ''),
    NULL, 'also in the view');

SELECT ok(board.throttle('acme', 'key-1') BETWEEN clock_timestamp() + '59 seconds'
          AND clock_timestamp() + '1 minute', 'without a time it is a minute');
SELECT ok(NOT t.granted, 'for that account') FROM board.take('acme', 'key-1') AS t;
SELECT ok(t.granted, 'and no other') FROM board.take('acme') AS t;
SELECT ok(board.unthrottle('acme', 'key-1', 'olga'), 'an operator lifts it');
SELECT ok(t.granted, 'at once') FROM board.take('acme', 'key-1') AS t;
SELECT ok(NOT board.unthrottle('acme', 'key-1'), 'there is nothing more to lift');
SELECT is((SELECT l.actor FROM board.audit_log AS l WHERE l.action = 'unthrottle'), 'olga',
    'the audit log has who did it, once');

SELECT throws_ok($$ SELECT board.throttle('nobody') $$, '22023',
    'invalid value for argument "provider"',
    'a provider that is not known');
SELECT throws_ok(format('SELECT board.throttle(''acme'', '''', %L)', r.retry_after), '22023',
    'invalid value for argument "retry_after"', 'retry_after ' || coalesce(r.retry_after, 'NULL'))
  FROM (VALUES (NULL), ('-1 second'), ('32 days')) AS r (retry_after);
SELECT throws_ok($$ SELECT board.unthrottle('nobody') $$, '22023',
    'invalid value for argument "provider"',
    'unthrottle wants a known one too');

SELECT * FROM finish();
ROLLBACK;
