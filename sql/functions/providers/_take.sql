CREATE OR REPLACE FUNCTION board._take(
    provider text,
    account  text,
    cost     int)
RETURNS TABLE (granted boolean, retry_after interval)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _free_at timestamptz;
    _periods interval[];
BEGIN
    -- Locks: the budgets of this provider and account, in order of period (_budgets_for_update),
    -- until the end of the transaction; nothing is waited for after them.
    -- Exact because the deciding look comes after the locks, in a new statement, with a clock read
    -- after them too: a session that waited for another sees what that one took. A rollback takes
    -- the count back with it.
    PERFORM board._check_provider(provider, account);
    PERFORM board._check_cost(provider, cost);
    _free_at := board._budget_free_at(provider, account, cost, _now);
    IF _free_at > _now THEN
        -- What has been committed is enough to say no, and only time gives it back: so those who
        -- ask an exhausted provider lock nothing and do not stand in each other's way.
        granted := false;
        retry_after := board._retry_after(_now, _free_at);
        RETURN NEXT;
        RETURN;
    END IF;
    _periods := board._budgets_for_update(provider, account);
    _now := clock_timestamp();
    RETURN QUERY SELECT g.granted, g.retry_after
                   FROM board._grant_or_wait(provider, account, cost, _periods, _now) AS g;
END;
$$;

COMMENT ON FUNCTION board._take IS
    'Private: board.take() for other functions: counts the cost in every limit of the provider, '
    'or says how long to wait. Locks the budget rows of the account until commit.';
