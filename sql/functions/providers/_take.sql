CREATE OR REPLACE FUNCTION board._take(
    who      text,
    provider text,
    account  text,
    needed   jsonb,
    task_id  uuid DEFAULT NULL,
    step     text DEFAULT NULL,
    kind     text DEFAULT NULL)
RETURNS TABLE (granted boolean, retry_after interval, usage_id bigint)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _free_at timestamptz;
    _locked record;
    _answer record;
BEGIN
    -- Locks: the budgets of this provider and account on the units needed, in order of unit and
    -- period (_budgets_for_update), until the end of the transaction; nothing is waited for after
    -- them.
    -- Exact because the deciding look comes after the locks, in a new statement, with a clock read
    -- after them too: a session that waited for another sees what that one took. A rollback takes
    -- the count back with it.
    PERFORM board._check_provider(provider, account);
    PERFORM board._check_needed(provider, needed);
    _free_at := board._units_free_at(provider, account, needed, _now);
    IF _free_at > _now THEN
        -- What has been committed is enough to say no, and only time gives it back: so those who
        -- ask an exhausted provider lock nothing and do not stand in each other's way.
        granted := false;
        retry_after := board._retry_after(_now, _free_at);
        RETURN NEXT;
        RETURN;
    END IF;
    _locked := board._budgets_for_update(
        provider, account, ARRAY(SELECT k.unit FROM jsonb_object_keys(needed) AS k (unit)));
    _now := clock_timestamp();
    SELECT g.* INTO _answer
      FROM board._grant_or_wait(provider, account, needed, _locked.units, _locked.periods, _now)
        AS g;
    granted := _answer.granted;
    retry_after := _answer.retry_after;
    IF granted THEN
        usage_id := board._record_usage(who, provider, account, needed, _now, task_id, step, kind);
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION board._take IS
    'Private: board.take() for other functions, of what _needed_units returned: counts it in '
    'every limit of the provider and records who used it, or says how long to wait. Locks the '
    'budget rows of the account until commit.';
