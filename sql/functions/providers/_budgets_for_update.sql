CREATE OR REPLACE FUNCTION board._budgets_for_update(
    provider    text,
    account     text,
    wanted      text[],
    OUT units   text[],
    OUT periods interval[])
RETURNS record
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _unit text;
    _period interval;
BEGIN
    -- Locks: budgets of one provider and account FOR UPDATE, by unit and period, each in a
    -- statement of its own, so that no plan can change the order. A missing row is made at its turn
    -- in that order and not before. Everybody goes through the rows of an account in this one
    -- order, whichever of them he wants, which is why two takes of one account cannot deadlock. A
    -- row that another session is just making is waited for by the INSERT; then it is there to be
    -- locked.
    units := ARRAY[]::text[];
    periods := ARRAY[]::interval[];
    FOR _unit, _period IN
        SELECT l.unit, l.period FROM board.provider_limits AS l
         WHERE l.provider = _budgets_for_update.provider AND l.unit = ANY (wanted)
         ORDER BY l.unit, l.period
    LOOP
        LOOP
            PERFORM FROM board.budgets AS b
              WHERE b.provider = _budgets_for_update.provider
                AND b.account = _budgets_for_update.account
                AND b.unit = _unit
                AND b.period = _period
                FOR UPDATE;
            EXIT WHEN FOUND;
            PERFORM board._open_budget(provider, account, _unit, _period);
        END LOOP;
        units := units || _unit;
        periods := periods || _period;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._budgets_for_update IS
    'Private: locks the budgets of all limits on these units of a provider for one account, in '
    'order of unit and period, making those that are missing; returns which they are.';
