CREATE OR REPLACE FUNCTION board._grant_or_wait(
    provider text,
    account  text,
    needed   jsonb,
    units    text[],
    periods  interval[],
    at       timestamptz)
RETURNS TABLE (granted boolean, retry_after interval)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _free_at timestamptz;
BEGIN
    -- Locks: none of its own. The caller has locked the budgets of these limits and has read at
    -- after that. Every statement here is newer than both, so it sees what those who held the locks
    -- before us committed, and every limit, throttle or pause that was committed by that moment.
    PERFORM FROM board.budgets AS b
      WHERE b.provider = _grant_or_wait.provider AND b.account = _grant_or_wait.account
        AND b.unit = ANY (units) AND b.clock_at > at;
    IF FOUND THEN
        -- The clock has been put back: time has stood still, and goes on from here.
        PERFORM board._change_usage(provider, account, units, periods, '{}', at);
    END IF;
    _free_at := board._units_free_at(provider, account, needed, at);
    PERFORM FROM board.provider_limits AS l
      WHERE l.provider = _grant_or_wait.provider AND needed ? l.unit
        AND NOT EXISTS (
            SELECT FROM unnest(units, periods) AS k (unit, period)
             WHERE k.unit = l.unit AND k.period = l.period);
    IF FOUND THEN
        -- A limit was set while we waited, and its budget is not locked. To lock it now could be
        -- out of order, so the caller is to ask again.
        _free_at := greatest(_free_at, at + interval '1 millisecond');
    END IF;
    granted := _free_at <= at;
    IF granted THEN
        PERFORM board._change_usage(provider, account, units, periods, needed, at);
    ELSE
        retry_after := board._retry_after(at, _free_at);
    END IF;
    RETURN NEXT;
END;
$$;

COMMENT ON FUNCTION board._grant_or_wait IS
    'Private: grants what is needed of each unit at that moment and counts it, or says how long '
    'to wait; the budgets of these limits are locked by the caller.';
