CREATE OR REPLACE FUNCTION board._configure_provider(
    who                 text,
    name                text,
    base_url            text,
    sandbox_url         text,
    honours_idempotency boolean,
    idempotency_window  interval,
    signing_key         text,
    reset               text[])
RETURNS board.providers
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _was board.providers;
    _provider board.providers;
BEGIN
    -- Locks the provider's row, so that two configurations come one after the other; agents' verbs
    -- read providers without a lock and go on.
    PERFORM board._check_name(_configure_provider.name, 'name');
    PERFORM board._check_url(_configure_provider.base_url, 'base_url');
    PERFORM board._check_url(_configure_provider.sandbox_url, 'sandbox_url');
    PERFORM board._check_duration(_configure_provider.idempotency_window, 'idempotency_window')
      WHERE _configure_provider.idempotency_window IS NOT NULL;
    PERFORM board._check_signing_key(_configure_provider.signing_key);
    IF array_position(reset, NULL) IS NOT NULL
       OR NOT reset <@ ARRAY['base_url', 'sandbox_url', 'honours_idempotency',
                            'idempotency_window', 'signing_key']
    THEN
        PERFORM board._invalid_argument('reset', 'names what cannot be reset',
            'Pass names out of: base_url, sandbox_url, honours_idempotency, idempotency_window, signing_key.');
    END IF;
    INSERT INTO board.providers (name) VALUES (_configure_provider.name)
        ON CONFLICT ON CONSTRAINT providers_pkey DO NOTHING;
    SELECT p.* INTO _was
      FROM board.providers AS p WHERE p.name = _configure_provider.name FOR UPDATE;

    _provider := _was;
    _provider.base_url := coalesce(base_url,
        CASE WHEN 'base_url' = ANY (reset) THEN NULL ELSE _was.base_url END);
    _provider.sandbox_url := coalesce(sandbox_url,
        CASE WHEN 'sandbox_url' = ANY (reset) THEN NULL ELSE _was.sandbox_url END);
    _provider.honours_idempotency := coalesce(honours_idempotency,
        CASE WHEN 'honours_idempotency' = ANY (reset) THEN false ELSE _was.honours_idempotency END);
    _provider.idempotency_window := coalesce(idempotency_window,
        CASE WHEN 'idempotency_window' = ANY (reset) THEN NULL ELSE _was.idempotency_window END);
    _provider.signing_key := coalesce(signing_key,
        CASE WHEN 'signing_key' = ANY (reset) THEN NULL ELSE _was.signing_key END);
    UPDATE board.providers AS p
       SET base_url = _provider.base_url,
           sandbox_url = _provider.sandbox_url,
           honours_idempotency = _provider.honours_idempotency,
           idempotency_window = _provider.idempotency_window,
           signing_key = _provider.signing_key
     WHERE p.name = _configure_provider.name;
    PERFORM board._audit(who, 'configure_provider', 'provider:' || _configure_provider.name,
                         board._changed_fields(to_jsonb(_was), to_jsonb(_provider)));
    RETURN _provider;
END;
$$;

COMMENT ON FUNCTION board._configure_provider IS
    'Private: body of configure_provider for the checked name who (NULL: the database role).';
