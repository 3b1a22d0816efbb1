CREATE OR REPLACE FUNCTION board._accounts_due(
    kind     text,
    provider text,
    standard text,
    at       timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
    _account text;
    _ready_at timestamptz;
    _next timestamptz;
BEGIN
    -- Reads only: the first 1,000 ready tasks of the kind and the first 1,000 that time will make
    -- ready, by account, and the budget of each account. When none of so many is free, more may
    -- stand behind them that are: a claim will tell.
    FOR _account, _ready_at IN
        SELECT coalesce(w.account, standard) AS name, min(w.due_at)
          FROM (SELECT t.account, _accounts_due.at AS due_at
                  FROM (SELECT r.account
                          FROM board.tasks AS r
                         WHERE r.rank IS NOT NULL
                           AND (r.kind, r.rank) >= (_accounts_due.kind, -2147483648)
                           AND (r.kind, r.rank) <= (_accounts_due.kind, 2147483647)
                         ORDER BY r.kind, r.rank, r.created_at, r.id
                         LIMIT 1000) AS t
                 UNION ALL
                SELECT d.account, greatest(d.due_at, _accounts_due.at)
                  FROM (SELECT u.account, u.due_at
                          FROM board.tasks AS u
                         WHERE u.due_at IS NOT NULL
                           AND (u.kind, u.due_at) >= (_accounts_due.kind, '-infinity')
                           AND (u.kind, u.due_at) <= (_accounts_due.kind, 'infinity')
                         ORDER BY u.kind, u.due_at
                         LIMIT 1000) AS d) AS w
         GROUP BY name
    LOOP
        _next := least(_next, greatest(_ready_at,
                                       board._budget_free_at(provider, _account, 1, at)));
        EXIT WHEN _next <= at;
    END LOOP;
    RETURN _next;
END;
$$;

COMMENT ON FUNCTION board._accounts_due IS
    'Private: when a task of a kind whose tasks name accounts can next become claimable, budgets '
    'considered; NULL: it has none that time alone will make so.';
