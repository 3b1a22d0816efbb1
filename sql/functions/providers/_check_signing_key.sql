CREATE OR REPLACE FUNCTION board._check_signing_key(name text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF name IS NULL THEN
        RETURN;
    END IF;
    PERFORM FROM board.signing_keys AS k WHERE k.name = _check_signing_key.name;
    IF NOT FOUND THEN
        -- It is not repeated: somebody may have passed the secret.
        PERFORM board._invalid_argument('signing_key', 'is not the name of a key',
            'Make one with board.create_signing_key(), and pass its name, not its secret.');
    END IF;
    PERFORM FROM board.signing_keys AS k
      WHERE k.name = _check_signing_key.name AND NOT k.signs;
    IF FOUND THEN
        PERFORM board._invalid_argument('signing_key', 'names a key that was imported',
            'It verifies what its maker signs and never signs itself. Make one with '
            'board.create_signing_key().');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_signing_key IS
    'Private: NULL, or the name of a key that signs; else 22023.';
