CREATE OR REPLACE FUNCTION board.unthrottle(
    provider text,
    account  text DEFAULT '')
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now   timestamptz := clock_timestamp();
    _until timestamptz;
BEGIN
    -- Locks the throttle's row, and nothing after it.
    PERFORM board._check_provider(unthrottle.provider, unthrottle.account);
    DELETE FROM board.throttles AS t
     WHERE t.provider = unthrottle.provider AND t.account = unthrottle.account
    RETURNING t.throttled_until INTO _until;
    IF _until IS NULL OR _until <= _now THEN
        RETURN false;
    END IF;
    PERFORM board._audit(NULL, 'unthrottle', 'provider:' || unthrottle.provider,
        jsonb_build_object('account', unthrottle.account, 'throttled_until', _until));
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board.unthrottle(text, text) IS
$$Lifts a throttle: the account may be called again as far as its budget allows. Returns whether it was throttled.

provider  text, name of the provider
account   text, the account that board.throttle() named; '' the provider's own

Errors: 22023 for a provider that is not known or a malformed account.
Example: SELECT board.unthrottle('acme');$$;
