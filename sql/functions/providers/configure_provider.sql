CREATE OR REPLACE FUNCTION board.configure_provider(
    name                text,
    base_url            text    DEFAULT NULL,
    sandbox_url         text    DEFAULT NULL,
    honours_idempotency boolean DEFAULT NULL,
    signing_key         text    DEFAULT NULL,
    reset               text[]  DEFAULT NULL)
RETURNS board.providers
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _reset    text[] := coalesce(configure_provider.reset, '{}');
    _unknown  text;
    _provider board.providers;
BEGIN
    -- Locks the provider's row; verbs read it and do not lock it.
    PERFORM board._check_name(configure_provider.name, 'name');
    PERFORM board._check_url(configure_provider.base_url, 'base_url');
    PERFORM board._check_url(configure_provider.sandbox_url, 'sandbox_url');
    IF configure_provider.signing_key IS NOT NULL THEN
        PERFORM FROM board.signing_keys AS k WHERE k.name = configure_provider.signing_key;
        IF NOT FOUND THEN
            PERFORM board._refuse('signing_key', format('is "%s", and there is no such key', configure_provider.signing_key),
                'Pass the name of a key, not its secret; make one with board.create_signing_key().');
        END IF;
    END IF;
    SELECT r.name INTO _unknown
      FROM unnest(_reset) AS r (name)
     WHERE r.name IS NULL
        OR r.name <> ALL (ARRAY['base_url', 'sandbox_url', 'honours_idempotency', 'signing_key'])
     LIMIT 1;
    IF FOUND THEN
        PERFORM board._refuse('reset', format('has "%s" in it', coalesce(_unknown, 'NULL')),
            'It names any of base_url, sandbox_url, honours_idempotency and signing_key.');
    END IF;
    INSERT INTO board.providers AS p (name, base_url, sandbox_url, honours_idempotency, signing_key)
    VALUES (configure_provider.name, configure_provider.base_url, configure_provider.sandbox_url,
            coalesce(configure_provider.honours_idempotency, false), configure_provider.signing_key)
        ON CONFLICT ON CONSTRAINT providers_pkey DO UPDATE
       SET base_url = coalesce(configure_provider.base_url,
               CASE WHEN 'base_url' <> ALL (_reset) THEN p.base_url END),
           sandbox_url = coalesce(configure_provider.sandbox_url,
               CASE WHEN 'sandbox_url' <> ALL (_reset) THEN p.sandbox_url END),
           honours_idempotency = coalesce(configure_provider.honours_idempotency,
               CASE WHEN 'honours_idempotency' <> ALL (_reset) THEN p.honours_idempotency END, false),
           signing_key = coalesce(configure_provider.signing_key,
               CASE WHEN 'signing_key' <> ALL (_reset) THEN p.signing_key END)
    RETURNING p.* INTO _provider;
    PERFORM board._audit(NULL, 'configure_provider', 'provider:' || configure_provider.name,
        jsonb_strip_nulls(jsonb_build_object(
            'base_url', configure_provider.base_url, 'sandbox_url', configure_provider.sandbox_url,
            'honours_idempotency', configure_provider.honours_idempotency,
            'signing_key', configure_provider.signing_key, 'reset', configure_provider.reset)));
    RETURN _provider;
END;
$$;

COMMENT ON FUNCTION board.configure_provider(text, text, text, boolean, text, text[]) IS
$$Makes a provider known, or changes it: only the arguments that are passed. Returns it.

name                 text, 1 to 200 characters
base_url             text, where live calls go: http or https, without a password in it
sandbox_url          text, where calls of kinds in shadow go; without one they are suppressed
honours_idempotency  boolean, whether it does a call once however often it is sent with one
                     Idempotency-Key. Not set: false, and a call whose outcome is not known goes to a
                     person rather than being sent twice
signing_key          text, name of a key (board.create_signing_key) that signs what is sent to it
reset                text[], names of the arguments above to set back to how a new provider has them

Its rate limits are set with board.set_limit(); board.pause('provider:NAME', …) stops calls to it.

Errors: 22023 for an argument out of range, a key that does not exist, an unknown name in reset.
Example: SELECT board.configure_provider('acme', base_url => 'https://api.acme.test/v1',
                                         honours_idempotency => true);$$;
