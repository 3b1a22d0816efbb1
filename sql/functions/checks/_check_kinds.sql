CREATE OR REPLACE FUNCTION board._check_kinds(kinds text[])
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF array_ndims(kinds) > 1 THEN
        PERFORM board._invalid_argument('kinds', 'is an array of arrays', 'Pass a plain list of names.');
    ELSIF array_position(kinds, NULL) IS NOT NULL THEN
        PERFORM board._invalid_argument(
            'kinds', 'has a NULL in it', 'Pass names of kinds, or NULL for all of them.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_kinds IS
    'Private: NULL (all kinds) or a plain array without NULLs; else 22023.';
