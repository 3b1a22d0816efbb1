CREATE OR REPLACE FUNCTION board._throttle(
    who         text,
    provider    text,
    account     text,
    retry_after interval)
RETURNS timestamptz
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _until timestamptz;
    _holds timestamptz;
BEGIN
    -- Locks the throttle's row, and nothing after it but what the log appends. The clock is read
    -- before: the provider counts from when it answered, not from when we came to write it down.
    -- The later of two ends holds, so that a slow report of an old answer does not shorten what a
    -- newer one said.
    PERFORM board._check_provider(_throttle.provider, coalesce(_throttle.account, ''));
    IF _throttle.retry_after IS NULL THEN
        PERFORM board._invalid_argument('retry_after', 'is NULL',
            'Pass what the provider said, or leave the argument out: that means a minute.');
    ELSIF _throttle.retry_after > '31 days' THEN
        PERFORM board._invalid_argument('retry_after', format('is %s', _throttle.retry_after),
            'It is at most 31 days. For longer an operator pauses the provider.');
    END IF;
    -- Through seconds: a day added as a day is 23 or 25 hours long where clocks change.
    _until := _now + CASE WHEN _throttle.retry_after <= '0' THEN interval '0'
        ELSE extract(epoch FROM _throttle.retry_after)::float8 * interval '1 second' END;
    INSERT INTO board.throttles AS t (provider, account, throttled_until)
    VALUES (_throttle.provider, _throttle.account, _until)
        ON CONFLICT ON CONSTRAINT throttles_key
        DO UPDATE SET throttled_until = greatest(t.throttled_until, excluded.throttled_until)
    RETURNING t.throttled_until INTO _holds;
    IF _holds = _until THEN
        PERFORM board._audit(who, 'throttle', 'provider:' || _throttle.provider,
            jsonb_build_object('account', _throttle.account, 'throttled_until', _until));
    END IF;
    RETURN _holds;
END;
$$;

COMMENT ON FUNCTION board._throttle IS
    'Private: body of throttle for the checked name who (NULL: the database role).';
