-- Budgets at a glance, and who used what.

CREATE OR REPLACE VIEW board.provider_budgets AS
-- The wall clock, read once per query.
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT r.provider,
       r.account,
       r.unit,
       r.period,
       r.max_units,
       r.used,
       CASE WHEN r.period IS NOT NULL THEN greatest(0, r.max_units - r.used) END AS remaining,
       CASE WHEN NOT r.paused
            THEN greatest(r.throttled_until, r.now, r.free_at) END AS next_free_at,
       CASE WHEN r.paused THEN 'paused'
            WHEN r.throttled_until > greatest(r.now, r.free_at) THEN 'throttled'
            WHEN r.free_at > r.now THEN 'exhausted' END AS reason,
       CASE WHEN r.throttled_until > r.now THEN r.throttled_until END AS throttled_until,
       r.paused
  FROM (SELECT p.name AS provider,
               a.account,
               l.unit,
               l.period,
               l.max_units,
               CASE WHEN l.period IS NOT NULL THEN s.used END AS used,
               c.now,
               c.now + interval '1 microsecond'
                       * max(s.delay) OVER (PARTITION BY p.name, a.account, l.unit) AS free_at,
               greatest(one.throttled_until, every.throttled_until) AS throttled_until,
               p.paused
          FROM clock AS c
         CROSS JOIN board.providers AS p
         CROSS JOIN LATERAL (
               SELECT ''
                UNION
               SELECT b.account FROM board.budgets AS b WHERE b.provider = p.name
                UNION
               SELECT t.account FROM board.throttles AS t
                WHERE t.provider = p.name AND t.account IS NOT NULL) AS a (account)
          LEFT JOIN board.provider_limits AS l ON l.provider = p.name
          LEFT JOIN board.budgets AS b
            ON b.provider = p.name AND b.account = a.account AND b.unit = l.unit
           AND b.period = l.period
          LEFT JOIN board.throttles AS one
            ON one.provider = p.name AND one.account = a.account
          LEFT JOIN board.throttles AS every
            ON every.provider = p.name AND every.account IS NULL
         CROSS JOIN LATERAL (
               SELECT d.used, coalesce(d.delay, 0) AS delay
                 FROM board._budget_state(b.counts, l.period, b.instant, b.clock_at, l.max_units,
                                          1, c.now) AS d) AS s) AS r
 ORDER BY r.provider, r.account, r.unit, r.period;

COMMENT ON VIEW board.provider_budgets IS
    'What is left of every limit, per provider and account, at this moment. A provider without '
    'limits has one row per account with an empty unit and period.';
COMMENT ON COLUMN board.provider_budgets.provider IS 'The provider.';
COMMENT ON COLUMN board.provider_budgets.account IS
    'The account at the provider; empty: the provider''s own budget.';
COMMENT ON COLUMN board.provider_budgets.unit IS 'What the limit counts: call, or another unit.';
COMMENT ON COLUMN board.provider_budgets.period IS 'Length of the limit''s window.';
COMMENT ON COLUMN board.provider_budgets.max_units IS 'Most of that unit in any such window.';
COMMENT ON COLUMN board.provider_budgets.used IS
    'Units that count now: those granted in the period up to now and up to a 64th of it before. '
    'More than max_units after the limit was lowered, or when calls used more than estimated.';
COMMENT ON COLUMN board.provider_budgets.remaining IS 'What this limit would still grant now.';
COMMENT ON COLUMN board.provider_budgets.next_free_at IS
    'When the account gets the next of this unit, all its limits on it and the throttle '
    'considered, if nobody else takes: now, when it could have one. Empty while the provider is '
    'paused: nobody knows.';
COMMENT ON COLUMN board.provider_budgets.reason IS
    'Why not now: paused, throttled or exhausted (no budget until then); empty: now.';
COMMENT ON COLUMN board.provider_budgets.throttled_until IS
    'Until when the provider wants no calls on this account; empty: it does not say so.';
COMMENT ON COLUMN board.provider_budgets.paused IS 'Whether the provider is paused.';


CREATE OR REPLACE VIEW board.usage AS
SELECT u.provider,
       u.account,
       u.kind,
       u.task_id,
       coalesce(u.agent, u.db_user) AS agent,
       (u.taken_at AT TIME ZONE 'UTC')::date AS day,
       e.key AS unit,
       sum(e.value::bigint)::bigint AS units,
       count(*) AS calls
  FROM board.usage_records AS u
 CROSS JOIN LATERAL jsonb_each(u.units) AS e
 GROUP BY u.provider, u.account, u.kind, u.task_id, coalesce(u.agent, u.db_user),
       (u.taken_at AT TIME ZONE 'UTC')::date, e.key;

COMMENT ON VIEW board.usage IS
    'What was used of providers, by account, kind, task, agent and day. Live calls only; as '
    'estimated, until finish_call(used) settles. What a task has cost: SELECT unit, sum(units) FROM '
    'board.usage WHERE task_id = … GROUP BY unit.';
COMMENT ON COLUMN board.usage.provider IS 'The provider; empty: the call named none.';
COMMENT ON COLUMN board.usage.account IS 'The account at the provider; empty: its own.';
COMMENT ON COLUMN board.usage.kind IS 'Kind of the task; empty: a take outside of tasks.';
COMMENT ON COLUMN board.usage.task_id IS 'The task; empty: a take outside of tasks.';
COMMENT ON COLUMN board.usage.agent IS 'Who made the calls; a database role where no agent is named.';
COMMENT ON COLUMN board.usage.day IS 'The day in UTC on which it was granted.';
COMMENT ON COLUMN board.usage.unit IS 'call, or another unit that the provider bills.';
COMMENT ON COLUMN board.usage.units IS 'How much of it was used.';
COMMENT ON COLUMN board.usage.calls IS 'How many calls used some of it.';
