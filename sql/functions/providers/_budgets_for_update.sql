CREATE OR REPLACE FUNCTION board._budgets_for_update(
    provider text,
    account  text)
RETURNS interval[]
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _period interval;
    _locked interval[] := ARRAY[]::interval[];
BEGIN
    -- Locks: budgets of one provider and account FOR UPDATE, shortest period first, each in a
    -- statement of its own, so that no plan can change the order. A missing row is made at its turn
    -- in that order and not before: whoever holds the first row keeps all others away from the
    -- rest, which is why two takes of one account cannot deadlock. A row that another session is
    -- just making is waited for by the INSERT; then it is there to be locked.
    FOR _period IN
        SELECT l.period FROM board.provider_limits AS l
         WHERE l.provider = _budgets_for_update.provider
         ORDER BY l.period
    LOOP
        LOOP
            PERFORM FROM board.budgets AS b
              WHERE b.provider = _budgets_for_update.provider
                AND b.account = _budgets_for_update.account
                AND b.period = _period
                FOR UPDATE;
            EXIT WHEN FOUND;
            INSERT INTO board.budgets (provider, account, period)
            VALUES (_budgets_for_update.provider, _budgets_for_update.account, _period)
                ON CONFLICT ON CONSTRAINT budgets_pkey DO NOTHING;
        END LOOP;
        _locked := _locked || _period;
    END LOOP;
    RETURN _locked;
END;
$$;

COMMENT ON FUNCTION board._budgets_for_update IS
    'Private: locks the budgets of all limits of a provider for one account, in order of period, '
    'making those that are missing; returns the periods.';
