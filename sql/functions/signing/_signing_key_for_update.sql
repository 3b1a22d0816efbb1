CREATE OR REPLACE FUNCTION board._signing_key_for_update(name text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM board._check_name(name, 'name');
    PERFORM FROM board.signing_keys AS k WHERE k.name = _signing_key_for_update.name FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM board._invalid_argument('name', 'names no signing key', 'The view board.keys lists them.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._signing_key_for_update IS
    'Private: locks a signing key by primary key; 22023 when there is none of that name.';
