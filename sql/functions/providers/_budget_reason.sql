CREATE OR REPLACE FUNCTION board._budget_reason(
    provider text,
    account  text,
    at       timestamptz)
RETURNS text
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _free_at timestamptz := board._budget_free_at(provider, account, 1, at);
    _name text := format('provider "%s"%s', provider,
                             CASE WHEN account <> '' THEN format(', account "%s",', account) END);
    _provider board.providers;
    _until timestamptz;
BEGIN
    -- Locks nothing.
    IF _free_at <= at THEN
        RETURN NULL;
    END IF;
    SELECT p.* INTO _provider FROM board.providers AS p WHERE p.name = _budget_reason.provider;
    IF _provider.paused THEN
        RETURN format('provider "%s" is paused by "%s"%s',
                      provider, _provider.paused_by, ': ' || _provider.pause_reason);
    END IF;
    SELECT max(t.throttled_until) INTO _until
      FROM board.throttles AS t
     WHERE t.provider = _budget_reason.provider
       AND (t.account = _budget_reason.account OR t.account IS NULL);
    IF _until >= _free_at THEN
        RETURN format('%s is throttled until %s', _name, _until);
    END IF;
    RETURN format('%s has no budget until %s', _name, _free_at);
END;
$$;

COMMENT ON FUNCTION board._budget_reason IS
    'Private: in words, why this account of the provider would be granted nothing at that moment; '
    'NULL when it would.';
