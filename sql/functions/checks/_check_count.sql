CREATE OR REPLACE FUNCTION board._check_count(
    value    bigint,
    argument text,
    most     bigint)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF value IS NULL OR value NOT BETWEEN 1 AND most THEN
        PERFORM board._invalid_argument(argument, 'is ' || coalesce(value::text, 'NULL'),
            format('Pass a number from 1 to %s.', most));
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_count IS
    'Private: 1 to most; else 22023 naming the argument.';
