CREATE OR REPLACE FUNCTION board.rotate_signing_key(
    name     text,
    keep_old interval)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    _now timestamptz;
    _secret bytea := board._random_secret();
    _version int;
BEGIN
    -- Locks the key, then its secrets: of two rotations at once the second waits, and then finds
    -- the first one's secret as the present one and retires it in turn. Signers and verifiers read
    -- the secrets without a lock.
    PERFORM board._check_duration(keep_old, 'keep_old');
    PERFORM board._signing_key_for_update(name);
    IF EXISTS (SELECT FROM board.signing_keys AS k
                WHERE k.name = rotate_signing_key.name AND NOT k.signs) THEN
        PERFORM board._invalid_argument('name', 'names a key that was imported',
            'Its maker makes its secrets: import the new one under another name, and let either '
            'verify until the old one is no longer used.');
    END IF;
    _now := clock_timestamp();
    UPDATE board.signing_secrets AS s
       SET valid_until = least(s.valid_until, _now + keep_old)
     WHERE s.key_name = rotate_signing_key.name;
    SELECT max(s.version) + 1 INTO _version
      FROM board.signing_secrets AS s
     WHERE s.key_name = rotate_signing_key.name;
    DELETE FROM board.signing_secrets AS s
     WHERE s.key_name = rotate_signing_key.name AND s.valid_until <= _now;
    INSERT INTO board.signing_secrets (key_name, version, secret, created_at)
    VALUES (rotate_signing_key.name, _version, _secret, _now);
    UPDATE board.signing_keys AS k SET rotated_at = _now WHERE k.name = rotate_signing_key.name;
    PERFORM board._audit(NULL, 'rotate_signing_key', 'key:' || name,
        jsonb_build_object('version', _version, 'old_valid_until', _now + keep_old));
    RETURN board._encode_secret(_secret);
END;
$$;

COMMENT ON FUNCTION board.rotate_signing_key IS
$$Gives a signing key a new random secret, shown this once. The old one goes on signing and
verifying beside it for a while, so that the other side can change over without a failure.

name      of the key; not of an imported one, whose secrets its maker makes
keep_old  interval, how long older secrets stay good, 0 to 100 years; '0' ends them at once (a leak)

Returns the new secret: whsec_ and base64, on one line.
Errors: 22023 naming the argument.
Example: SELECT board.rotate_signing_key('billing-api', '1 day');$$;
