CREATE OR REPLACE FUNCTION board._new_signing_key(
    name   text,
    secret bytea,
    signs  boolean,
    action text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _caller text := board._caller();
BEGIN
    -- The row of signing_keys decides: a second maker of the name waits at its primary key for the
    -- first, inserts nothing and is refused. The secret is inserted by whoever made that row.
    PERFORM board._check_name(name, 'name');
    INSERT INTO board.signing_keys (name, created_at, created_by, signs)
    VALUES (_new_signing_key.name, _now, _caller, _new_signing_key.signs)
        ON CONFLICT ON CONSTRAINT signing_keys_pkey DO NOTHING;
    IF NOT FOUND THEN
        PERFORM board._invalid_argument('name', 'is taken by another signing key',
            'Give it a new secret with board.rotate_signing_key(), or remove it with '
            'board.drop_signing_key().');
    END IF;
    INSERT INTO board.signing_secrets (key_name, version, secret, created_at)
    VALUES (_new_signing_key.name, 1, _new_signing_key.secret, _now);
    PERFORM board._audit(NULL, _new_signing_key.action, 'key:' || name);
END;
$$;

COMMENT ON FUNCTION board._new_signing_key IS
    'Private: makes the key of that name with that secret; 22023 when the name is malformed or taken.';
