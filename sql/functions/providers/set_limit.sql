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
BEGIN
    IF set_limit.actor IS NOT NULL THEN
        PERFORM board._acting_agent(set_limit.actor, 'actor');
    END IF;
    RETURN board._set_limit(set_limit.actor, set_limit.provider, set_limit.period,
                            set_limit.max_calls);
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
