CREATE OR REPLACE FUNCTION board.throttle(
    provider    text,
    account     text     DEFAULT '',
    retry_after interval DEFAULT '1 minute',
    actor       text     DEFAULT NULL)
RETURNS timestamptz
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM board._acting_agent(throttle.actor, 'actor') WHERE throttle.actor IS NOT NULL;
    RETURN board._throttle(throttle.actor, throttle.provider, throttle.account,
                           throttle.retry_after);
END;
$$;

COMMENT ON FUNCTION board.throttle IS
$$Tells the board that a provider wants no more calls for a while (it answered 429, or 503 with
Retry-After). Nothing is granted to that account until then, whatever its budget says, and claim
leaves its kinds out. Returns until when.

provider     name of the provider
account      text, whose budget: '' the provider's own, which does not throttle the other accounts;
             NULL: all accounts of the provider
retry_after  interval from now, at most 31 days, what the provider said; left out: a minute. A
             moment in the past (an HTTP date, less the clock) is now
actor        who says so, for the log; NULL: the database role

The later end of several holds. board.unthrottle() lifts it.

Errors: 22023 for a provider that is not known, or an argument out of range, 42501 for a name that
is another role's.
Source: Retry-After is RFC 9110, section 10.2.3; 429 is RFC 6585, section 4.
Example: SELECT board.throttle('acme', retry_after => '30 seconds');$$;
