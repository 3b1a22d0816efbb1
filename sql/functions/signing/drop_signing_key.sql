CREATE OR REPLACE FUNCTION board.drop_signing_key(name text)
RETURNS void
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _provider text;
BEGIN
    -- Locks the key; its secrets go with it. Providers are read without a lock: one that is given
    -- the key at this moment is left with a name for which begin_call then raises, and never with
    -- unsigned calls.
    PERFORM board._signing_key_for_update(name);
    SELECT min(p.name) INTO _provider
      FROM board.providers AS p
     WHERE p.signing_key = drop_signing_key.name;
    IF _provider IS NOT NULL THEN
        PERFORM board._invalid_argument('name',
            format('signs the calls to provider "%s"', _provider),
            'Give the provider another key first: board.configure_provider(NAME, signing_key => …).');
    END IF;
    DELETE FROM board.signing_keys AS k WHERE k.name = drop_signing_key.name;
    PERFORM board._audit(NULL, 'drop_signing_key', 'key:' || name);
END;
$$;

COMMENT ON FUNCTION board.drop_signing_key IS
$$Removes a signing key and its secrets: nothing is signed with it any more, and nothing verifies.

name  of the key

Errors: 22023 when there is no such key, or when a provider's calls are signed with it.
Example: SELECT board.drop_signing_key('billing-api');$$;
