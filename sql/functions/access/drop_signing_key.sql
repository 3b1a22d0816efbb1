CREATE OR REPLACE FUNCTION board.drop_signing_key(name text)
RETURNS void
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Locks the key; its secrets go with it.
    PERFORM board._lock_signing_key(name);
    DELETE FROM board.signing_keys AS k WHERE k.name = drop_signing_key.name;
    PERFORM board._audit(NULL, 'drop_signing_key', 'key:' || name);
END;
$$;

COMMENT ON FUNCTION board.drop_signing_key(text) IS
$$Removes a signing key and its secrets: nothing is signed with it any more, and nothing verifies.

name: of the key. Returns nothing. Errors: 22023 when there is no such key.

    SELECT board.drop_signing_key('billing-api');$$;
