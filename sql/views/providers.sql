-- Budgets at a glance.

CREATE OR REPLACE VIEW board.provider_budgets AS
-- The wall clock, read once per query.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT p.name AS provider,
       a.account,
       l.period,
       l.max_calls,
       CASE WHEN l.period IS NOT NULL THEN s.used END AS used,
       CASE WHEN l.period IS NOT NULL THEN greatest(0, l.max_calls - s.used) END AS remaining,
       CASE WHEN p.paused THEN 'infinity'
            ELSE greatest(
                t.throttled_until,
                c.now + interval '1 microsecond'
                        * max(s.delay) OVER (PARTITION BY p.name, a.account))
       END AS next_free_at,
       CASE WHEN t.throttled_until > c.now THEN t.throttled_until END AS throttled_until,
       p.paused
  FROM clock AS c
 CROSS JOIN board.providers AS p
 CROSS JOIN LATERAL (
       SELECT ''
        UNION
       SELECT b.account FROM board.budgets AS b WHERE b.provider = p.name
        UNION
       SELECT t.account FROM board.throttles AS t WHERE t.provider = p.name) AS a (account)
  LEFT JOIN board.provider_limits AS l ON l.provider = p.name
  LEFT JOIN board.budgets AS b
    ON b.provider = p.name AND b.account = a.account AND b.period = l.period
  LEFT JOIN board.throttles AS t ON t.provider = p.name AND t.account = a.account
 CROSS JOIN LATERAL (
       SELECT d.used, coalesce(d.delay, 0) AS delay
         FROM board._budget_state(b, l.max_calls, 1, c.now) AS d) AS s
 ORDER BY p.name, a.account, l.period;

COMMENT ON VIEW board.provider_budgets IS
    'What is left of every limit, per provider and account, at this moment. A provider without '
    'limits has one row per account with an empty period.';
COMMENT ON COLUMN board.provider_budgets.provider IS 'The provider.';
COMMENT ON COLUMN board.provider_budgets.account IS
    'The account at the provider; empty: the provider''s own budget.';
COMMENT ON COLUMN board.provider_budgets.period IS 'Length of the limit''s window.';
COMMENT ON COLUMN board.provider_budgets.max_calls IS 'Most calls in any such window.';
COMMENT ON COLUMN board.provider_budgets.used IS
    'Calls that count now: those granted in the period up to now and up to a 64th of it before. '
    'More than max_calls after the limit was lowered.';
COMMENT ON COLUMN board.provider_budgets.remaining IS 'What this limit would still grant now.';
COMMENT ON COLUMN board.provider_budgets.next_free_at IS
    'When the account gets its next call, all its limits, its throttle and the pause considered, '
    'if nobody else takes: now, when it could have one; infinity, while the provider is paused.';
COMMENT ON COLUMN board.provider_budgets.throttled_until IS
    'Until when the provider wants no calls on this account; empty: it does not say so.';
COMMENT ON COLUMN board.provider_budgets.paused IS 'Whether the provider is paused.';
