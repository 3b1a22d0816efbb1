CREATE OR REPLACE FUNCTION board.give_back(
    provider text,
    taken_at timestamptz,
    account  text DEFAULT '',
    cost     int  DEFAULT 1)
RETURNS int
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz;
    _periods interval[];
BEGIN
    -- Locks: the budgets of this provider and account, in order of period (_budgets_for_update),
    -- as take does; nothing is waited for after them.
    PERFORM board._check_provider(give_back.provider, give_back.account);
    PERFORM board._check_count(give_back.cost, 'cost', 2147483647);
    -- A day of grace, for a clock that has been set back since.
    IF give_back.taken_at IS NULL OR NOT isfinite(give_back.taken_at)
        OR give_back.taken_at > clock_timestamp() + interval '1 day'
    THEN
        PERFORM board._invalid_argument('taken_at',
            format('is %s', coalesce(give_back.taken_at::text, 'NULL')),
            'Pass a moment at or just before the take, by the database''s clock.');
    END IF;
    _periods := board._budgets_for_update(give_back.provider, give_back.account);
    _now := clock_timestamp();
    RETURN board._subtract_usage(give_back.provider, give_back.account, give_back.cost, _periods,
                         give_back.taken_at, _now);
END;
$$;

COMMENT ON FUNCTION board.give_back IS
$$Gives back what a committed take was granted and the call did not use (it was never sent). Returns
how much of the cost was given back, in the limit that had most of it; 0 when it counted no more.

provider  text, as it was taken
taken_at  timestamptz of the database, at or just before the take: when its transaction began
account   text, as it was taken
cost      int, what to give back: as it was taken, or less

Only calls counted at taken_at or later are taken off, the oldest of them first, and never below
zero: so no other call is forgotten before its time, and the limits go on holding in every window.
A take that is rolled back gives itself back: do not do it twice.

Errors: 22023 for a provider that is not known or an argument out of range.
Example: SELECT board.give_back('acme', '2026-03-01 12:00:00+00', cost => 2);$$;
