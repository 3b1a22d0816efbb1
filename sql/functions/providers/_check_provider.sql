CREATE OR REPLACE FUNCTION board._check_provider(
    provider text,
    account  text DEFAULT '',
    cost     int  DEFAULT 1)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _tightest board.provider_limits;
BEGIN
    -- Locks nothing.
    PERFORM board._check_name(provider, 'provider');
    PERFORM FROM board.providers AS p WHERE p.name = _check_provider.provider;
    IF NOT FOUND THEN
        PERFORM board._refuse('provider', format('is "%s", which is not known here', provider),
            'Make it known with board.configure_provider(), or look into board.provider_budgets for the right name.');
    END IF;
    IF account IS DISTINCT FROM '' THEN
        PERFORM board._check_name(account, 'account');
    END IF;
    IF cost IS NULL OR cost < 1 THEN
        PERFORM board._refuse('cost', format('is %s', coalesce(cost::text, 'NULL')),
            'A call costs at least 1.');
    END IF;
    SELECT l.* INTO _tightest
      FROM board.provider_limits AS l
     WHERE l.provider = _check_provider.provider AND l.max_calls < cost
     ORDER BY l.max_calls, l.period
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'TB006',
            MESSAGE = 'cost exceeds limit',
            DETAIL = format('A cost of %s can never be granted: provider "%s" allows %s in %s.',
                            cost, provider, _tightest.max_calls, _tightest.period),
            HINT = 'Split the call into smaller ones, or raise the limit with board.set_limit(). Waiting does not help.';
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_provider(text, text, int) IS
    'Private: 22023 for a provider that is not known, a malformed account or a cost below 1; TB006 for a cost above one of the provider''s limits.';
