CREATE OR REPLACE FUNCTION board._to_int(
    value    bigint,
    argument text)
RETURNS int
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF value NOT BETWEEN -2147483648 AND 2147483647 THEN
        PERFORM board._invalid_argument(argument, format('is %s', value),
            'Pass a number of at most 2147483647.');
    END IF;
    RETURN value;
END;
$$;

COMMENT ON FUNCTION board._to_int IS
    'Private: the argument as an int, NULL as NULL; out of its range: 22023 naming it.';
