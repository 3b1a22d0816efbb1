-- throttle and unthrottle: the provider's word counts, whatever the budget says.
BEGIN;
SELECT plan(43);
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

SELECT results_eq(
    $$ SELECT l.actor, l.detail ->> 'account' FROM board.audit_log AS l
        WHERE l.action = 'throttle' ORDER BY l.seq DESC LIMIT 1 $$,
    $$ SELECT current_user::text COLLATE "default", 'key-1' $$, 'who throttled is in the audit log');
SELECT ok(board.throttle('acme', 'key-1', '1 minute', 'agent-7') IS NOT NULL, 'by name, if he says it');
SELECT is((SELECT l.actor FROM board.audit_log AS l
            WHERE l.action = 'throttle' ORDER BY l.seq DESC LIMIT 1), 'agent-7', 'so it is kept');
SELECT ok(board.throttle('acme', 'key-1', '1 second') > clock_timestamp() + '50 seconds',
    'what changes nothing');
SELECT is((SELECT l.actor FROM board.audit_log AS l
            WHERE l.action = 'throttle' ORDER BY l.seq DESC LIMIT 1), 'agent-7', 'is not logged');

-- A moment in the past is now.
DO $$ BEGIN PERFORM board.configure_provider('past'); END $$;
SELECT ok(board.throttle('past', '', r.retry_after::interval)
          BETWEEN clock_timestamp() - '1 second'::interval AND clock_timestamp(),
    'throttled until ' || r.retry_after || ' ago: until now')
  FROM (VALUES ('-1 second'), ('-40 days'), ('-1 day 23:59:59')) AS r (retry_after);
SELECT ok(t.granted, 'so it is not throttled') FROM board.take('past') AS t;

-- All accounts of a provider.
SELECT ok(board.throttle('past', NULL, '30 seconds') > clock_timestamp() + '29 seconds',
    'the provider wants no calls of any account');
SELECT ok(NOT t.granted AND t.retry_after > '29 seconds', 'not of account "' || a.name || '"')
  FROM (VALUES (''), ('key-1'), ('new')) AS a (name)
 CROSS JOIN LATERAL board.take('past', a.name) AS t;
SELECT ok(board.throttle('past', 'key-1', '1 hour') IS NOT NULL, 'one account for longer');
SELECT ok(NOT t.granted AND t.retry_after > '59 minutes', 'the later end holds')
  FROM board.take('past', 'key-1') AS t;
SELECT ok((SELECT bool_and(v.throttled_until IS NOT NULL) FROM board.provider_budgets AS v
            WHERE v.provider = 'past'), 'the view says so of every account');
SELECT ok(board._budget_reason('past', 'new', clock_timestamp()) ~ 'is throttled until',
    'and explain does');
SELECT ok(NOT board.unthrottle('past', 'new'), 'one account has no throttle of its own to lift');
SELECT ok(board.unthrottle('past', NULL), 'all are lifted by naming none');
SELECT ok(t.granted, 'and account "' || a.name || '" goes on')
  FROM (VALUES (''), ('key-1')) AS a (name) CROSS JOIN LATERAL board.take('past', a.name) AS t;

SELECT throws_ok($$ SELECT board.throttle('nobody') $$, '22023',
    'invalid value for argument "provider"',
    'a provider that is not known');
SELECT throws_ok(format('SELECT board.throttle(''acme'', '''', %L)', r.retry_after), '22023',
    'invalid value for argument "retry_after"', 'retry_after ' || coalesce(r.retry_after, 'NULL'))
  FROM (VALUES (NULL), ('32 days')) AS r (retry_after);
SELECT throws_ok($$ SELECT board.unthrottle('nobody') $$, '22023',
    'invalid value for argument "provider"',
    'unthrottle wants a known one too');

SELECT * FROM finish();
ROLLBACK;
