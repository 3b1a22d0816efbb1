CREATE OR REPLACE FUNCTION board._check_key(
    value    text,
    argument text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- 400 characters of any script fit a B-tree entry together with the kind (2,704 bytes).
    IF length(value) NOT BETWEEN 1 AND 400 THEN
        PERFORM board._invalid_argument(argument, format('has %s characters', length(value)),
            'A key has 1 to 400 characters; hash what is longer.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_key IS
    'Private: NULL, or 1 to 400 characters; else 22023 naming the argument.';
