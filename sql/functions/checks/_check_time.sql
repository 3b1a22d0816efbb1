CREATE OR REPLACE FUNCTION board._check_time(
    value    timestamptz,
    argument text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT isfinite(value) THEN
        PERFORM board._invalid_argument(argument, format('is %s', value), 'Pass a moment, or NULL for now.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_time IS
    'Private: NULL or finite; else 22023 naming the argument.';
