CREATE OR REPLACE FUNCTION board.set_limit(
    provider  text,
    period    interval,
    max_calls int,
    actor     text DEFAULT NULL)
RETURNS board.provider_limits
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _limit board.provider_limits;
BEGIN
    -- Locks the limit's row. Takes never lock it: they read it after they have locked the budgets,
    -- so every take that decides after our commit goes by the new number.
    PERFORM board._acting_agent(set_limit.actor, 'actor') WHERE set_limit.actor IS NOT NULL;
    PERFORM board._check_provider(set_limit.provider);
    PERFORM board._check_period(set_limit.period);
    PERFORM board._check_count(set_limit.max_calls, 'max_calls', 1000000000);
    INSERT INTO board.provider_limits (provider, period, max_calls)
    VALUES (set_limit.provider, set_limit.period, set_limit.max_calls)
        ON CONFLICT ON CONSTRAINT provider_limits_pkey
        DO UPDATE SET max_calls = excluded.max_calls
    RETURNING * INTO _limit;
    PERFORM board._audit(
        set_limit.actor, 'set_limit', 'provider:' || set_limit.provider,
        jsonb_build_object('period', set_limit.period, 'max_calls', set_limit.max_calls));
    RETURN _limit;
END;
$$;

COMMENT ON FUNCTION board.set_limit IS
$$Sets how often a provider may be called: at most max_calls in any window of length period, each
account for itself. Limits of other periods stay, and all must hold: 10 a second and 1,000 a day.
Returns the limit.

provider   name of the provider
period     interval, 1 millisecond to 366 days; a day is 24 hours, and months are refused: they
           differ
max_calls  int, 1 to 1,000,000,000
actor      who decides, for the log; NULL: the database role

What has been used keeps counting when max_calls changes, and when a dropped limit comes back
(without what was granted in between). A period that is new counts from now on.

Errors: 22023 for a provider that is not known or an argument out of range, 42501 for a name that is
another role's.
Example: SELECT * FROM board.set_limit('acme', '1 second', 10);$$;
