CREATE OR REPLACE FUNCTION board._digest(value jsonb)
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Half of a SHA-256 is plenty to tell two payloads apart.
    RETURN left(encode(sha256(convert_to(value::text, 'UTF8')), 'base64'), 22);
END;
$$;

COMMENT ON FUNCTION board._digest IS
    'Private: 22 characters that stand for a JSON value; NULL for NULL.';
