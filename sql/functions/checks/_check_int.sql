CREATE OR REPLACE FUNCTION board._check_int(
    value    bigint,
    argument text)
RETURNS void
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF value IS NULL THEN
        PERFORM board._invalid_argument(argument, 'is NULL', 'Pass a number; 0 is usual.');
    ELSIF value NOT BETWEEN -2147483648 AND 2147483647 THEN
        PERFORM board._invalid_argument(argument, format('is %s', value),
            'Pass a number from -2147483648 to 2147483647.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_int IS
    'Private: a number that a column of type int can hold; else 22023 naming the argument.';
