CREATE OR REPLACE FUNCTION board.import_signing_key(
    name   text,
    secret text)
RETURNS void
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- Padding may be left out, as the libraries of Standard Webhooks allow.
    _base64 text := rtrim(regexp_replace(secret, '^whsec_', ''), '=');
    _secret bytea;
BEGIN
    -- The pattern lets through what decode() takes: its own error would show a piece of the secret.
    IF secret IS NULL OR length(secret) > 200
        OR _base64 !~ '^[A-Za-z0-9+/]+$' OR length(_base64) % 4 = 1
    THEN
        PERFORM board._invalid_argument('secret', 'is not whsec_ and base64');
    END IF;
    _secret := decode(rpad(_base64, (length(_base64) + 3) / 4 * 4, '='), 'base64');
    IF length(_secret) NOT BETWEEN 24 AND 64 THEN
        PERFORM board._invalid_argument('secret', format('is %s bytes long', length(_secret)),
            'Standard Webhooks asks for 24 to 64 bytes.');
    END IF;
    PERFORM board._new_signing_key(name, _secret, false, 'import_signing_key');
END;
$$;

COMMENT ON FUNCTION board.import_signing_key IS
$$Takes in a secret that somebody else made, so that verify can check the webhooks that they send.
The key never signs: who could, would pass for them.

name    of the new key, 1 to 200 characters
secret  whsec_ and base64 of 24 to 64 bytes, as their console shows it; pass it as a parameter and
        not inside the statement, which the server may log

When they change their secret, import it under another name and let either verify.
Errors: 22023 for a malformed or taken name, or a malformed secret (which no error shows).
Example: SELECT board.import_signing_key('payments-inbound', $1);$$;
