CREATE OR REPLACE FUNCTION board.configure_provider(
    name                text,
    base_url            text     DEFAULT NULL,
    sandbox_url         text     DEFAULT NULL,
    honours_idempotency boolean  DEFAULT NULL,
    idempotency_window  interval DEFAULT NULL,
    signing_key         text     DEFAULT NULL,
    reset               text[]   DEFAULT NULL,
    actor               text     DEFAULT NULL)
RETURNS board.providers
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _was board.providers;
    _provider board.providers;
BEGIN
    -- Locks the provider's row, so that two configurations come one after the other; agents' verbs
    -- read providers without a lock and go on.
    PERFORM board._acting_agent(configure_provider.actor, 'actor')
      WHERE configure_provider.actor IS NOT NULL;
    PERFORM board._check_name(configure_provider.name, 'name');
    PERFORM board._check_url(configure_provider.base_url, 'base_url');
    PERFORM board._check_url(configure_provider.sandbox_url, 'sandbox_url');
    PERFORM board._check_duration(configure_provider.idempotency_window, 'idempotency_window')
      WHERE configure_provider.idempotency_window IS NOT NULL;
    PERFORM board._check_signing_key(configure_provider.signing_key);
    INSERT INTO board.providers (name) VALUES (configure_provider.name)
        ON CONFLICT ON CONSTRAINT providers_pkey DO NOTHING;
    SELECT p.* INTO _was
      FROM board.providers AS p WHERE p.name = configure_provider.name FOR UPDATE;
    _provider := board._changed_row(
        _was,
        jsonb_build_object(
            'base_url', configure_provider.base_url,
            'sandbox_url', configure_provider.sandbox_url,
            'honours_idempotency', configure_provider.honours_idempotency,
            'idempotency_window', configure_provider.idempotency_window,
            'signing_key', configure_provider.signing_key),
        configure_provider.reset,
        'board.providers');
    UPDATE board.providers AS p
       SET base_url = _provider.base_url,
           sandbox_url = _provider.sandbox_url,
           honours_idempotency = _provider.honours_idempotency,
           idempotency_window = _provider.idempotency_window,
           signing_key = _provider.signing_key
     WHERE p.name = configure_provider.name;
    PERFORM board._audit(
        configure_provider.actor, 'configure_provider', 'provider:' || configure_provider.name,
        board._changed_fields(to_jsonb(_was), to_jsonb(_provider)));
    RETURN _provider;
END;
$$;

COMMENT ON FUNCTION board.configure_provider IS
$$Makes a provider known, or changes it, and returns its row. Pass arguments by name: only those
passed change.

name                 name of the provider, 1 to 200 characters
base_url             text, where live calls go: http or https, no password in it (none)
sandbox_url          text, where calls of kinds in shadow go; without one they are suppressed (none)
honours_idempotency  boolean, whether it does a call once however often it is sent with one
                     Idempotency-Key; if not, a call of unknown outcome goes to a person instead of
                     being sent again (false)
idempotency_window   interval, how long it remembers a key after the first call with it; a call sent
                     longer ago than that, whose outcome is unknown, goes to a person (none: for
                     ever)
signing_key          name of the key that signs what is sent to it, see board.create_signing_key()
                     (none)
reset                text[], names of arguments to set back to the value in parentheses
actor                who decides, for the log; NULL: the database role

How often it may be called is set with board.set_limit(). To stop all calls: board.pause() with
'provider:NAME'.

Errors: 22023 for an argument out of range or a key that does not exist, 42501 for a name that is
another role's.
Example: SELECT * FROM board.configure_provider('acme', base_url => 'https://api.acme.test/v1',
                                         honours_idempotency => true);$$;
