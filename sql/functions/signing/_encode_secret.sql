CREATE OR REPLACE FUNCTION board._encode_secret(secret bytea)
RETURNS text
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- encode() breaks base64 into lines of 76 characters, which 64 bytes reach.
    SELECT 'whsec_' || translate(encode(secret, 'base64'), E'\n', '');
$$;

COMMENT ON FUNCTION board._encode_secret IS
    'Private: a secret as Standard Webhooks writes it, on one line.';
