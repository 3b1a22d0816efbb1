CREATE OR REPLACE FUNCTION board.set_limit(
    provider  text,
    period    interval,
    max_calls int)
RETURNS board.provider_limits
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _limit board.provider_limits;
BEGIN
    -- Locks the limit's row. Takes never lock it: they read it after they have locked the budgets, so
    -- a take that comes after our commit goes by the new number.
    PERFORM board._check_provider(set_limit.provider);
    PERFORM board._check_period(set_limit.period);
    IF set_limit.max_calls IS NULL OR set_limit.max_calls NOT BETWEEN 1 AND 1000000000 THEN
        PERFORM board._refuse('max_calls', format('is %s', coalesce(set_limit.max_calls::text, 'NULL')),
            'It is between 1 and 1,000,000,000. To allow no call at all, pause the provider.');
    END IF;
    INSERT INTO board.provider_limits (provider, period, max_calls)
    VALUES (set_limit.provider, set_limit.period, set_limit.max_calls)
        ON CONFLICT ON CONSTRAINT provider_limits_pkey
        DO UPDATE SET max_calls = excluded.max_calls
    RETURNING * INTO _limit;
    PERFORM board._audit(NULL, 'set_limit', 'provider:' || set_limit.provider,
        jsonb_build_object('period', set_limit.period, 'max_calls', set_limit.max_calls));
    RETURN _limit;
END;
$$;

COMMENT ON FUNCTION board.set_limit(text, interval, int) IS
$$Sets how often a provider may be called: at most max_calls in any window of length period, each account for itself. Limits of other periods stay, and all must hold: 10 a second and 1,000 a day. Returns the limit.

provider   text, name of the provider
period     interval, 1 millisecond to 366 days; a day is 24 hours, a month has no one length and is refused
max_calls  int, 1 to 1,000,000,000

What has been used keeps counting when max_calls changes, also when the limit was dropped and comes back
(what was granted in between is not known to it then). A period that is new counts from now on.

Errors: 22023 for a provider that is not known or an argument out of range.
Example: SELECT board.set_limit('acme', '1 second', 10);$$;
