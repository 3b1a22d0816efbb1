CREATE OR REPLACE FUNCTION board.create_signing_key(name text)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _secret bytea := board._random_secret();
BEGIN
    PERFORM board._new_signing_key(name, _secret, true, 'create_signing_key');
    RETURN board._encode_secret(_secret);
END;
$$;

COMMENT ON FUNCTION board.create_signing_key IS
$$Makes a key for signing and verifying webhooks, with a random secret that is shown this once.

name  of the key, 1 to 200 characters; configure_provider takes it as signing_key, sign and verify
      take it as key_name

Returns the secret as Standard Webhooks writes it: whsec_ and base64 of 32 random bytes, on one
line.
Errors: 22023 for a malformed name or one that is taken.
Example: SELECT board.create_signing_key('billing-api');$$;
