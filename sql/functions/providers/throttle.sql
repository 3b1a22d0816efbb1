CREATE OR REPLACE FUNCTION board.throttle(
    provider    text,
    account     text     DEFAULT '',
    retry_after interval DEFAULT '1 minute')
RETURNS timestamptz
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _until timestamptz;
BEGIN
    -- Locks the throttle's row, and nothing after it. The clock is read before: the provider counts
    -- from when it answered, not from when we came to write it down. The later of two ends holds,
    -- so that a slow report of an old answer does not shorten what a newer one said.
    PERFORM board._check_provider(throttle.provider, throttle.account);
    IF throttle.retry_after IS NULL THEN
        PERFORM board._invalid_argument('retry_after', 'is NULL',
            'Pass what the provider said, or leave the argument out: that means a minute.');
    ELSIF throttle.retry_after NOT BETWEEN '0' AND '31 days' THEN
        PERFORM board._invalid_argument('retry_after', format('is %s', throttle.retry_after),
            'It is 0 to 31 days. To stop calls for longer: board.pause(''provider:NAME'', …).');
    END IF;
    -- Through seconds: a day added as a day is 23 or 25 hours long where clocks change.
    _until := _now + extract(epoch FROM throttle.retry_after)::float8 * interval '1 second';
    INSERT INTO board.throttles AS t (provider, account, throttled_until)
    VALUES (throttle.provider, throttle.account, _until)
        ON CONFLICT ON CONSTRAINT throttles_pkey
        DO UPDATE SET throttled_until = greatest(t.throttled_until, excluded.throttled_until)
    RETURNING t.throttled_until INTO _until;
    RETURN _until;
END;
$$;

COMMENT ON FUNCTION board.throttle IS
$$Tells the board that a provider wants no more calls for a while (it answered 429, or 503 with
Retry-After). Nothing is granted to that account until then, whatever its budget says, and claim
leaves its kinds out. Returns until when.

provider     name of the provider
account      text, whose budget: '' the provider's own, which does not throttle the other accounts
retry_after  interval from now, 0 to 31 days, what the provider said; left out: a minute

The later end of several holds. board.unthrottle() lifts it.

Errors: 22023 for a provider that is not known, or an argument out of range.
Source: Retry-After is RFC 9110, section 10.2.3; 429 is RFC 6585, section 4.
Example: SELECT board.throttle('acme', retry_after => '30 seconds');$$;
