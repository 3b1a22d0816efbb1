CREATE OR REPLACE FUNCTION board._check_provider(
    provider text,
    account  text DEFAULT '')
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Locks nothing.
    PERFORM board._check_name(provider, 'provider');
    PERFORM FROM board.providers AS p WHERE p.name = _check_provider.provider;
    IF NOT FOUND THEN
        PERFORM board._invalid_argument('provider',
            format('is "%s", which is not known here', provider),
            'Names are in board.provider_budgets; an operator adds one with board.configure_provider().');
    END IF;
    IF account IS DISTINCT FROM '' THEN
        PERFORM board._check_name(account, 'account');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_provider IS
    'Private: 22023 for a provider that is not known or a malformed account; an empty account is '
    'the provider''s own.';
