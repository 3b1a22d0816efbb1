CREATE OR REPLACE FUNCTION board._check_time(
    value    timestamptz,
    argument text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- A day less at either end: every client can read it, whatever its time zone.
    IF value < '0001-01-02 00:00+00' OR value >= '9999-12-31 00:00+00' THEN
        PERFORM board._invalid_argument(argument, format('is %s', value),
            'Pass a moment of the years 1 to 9999, or NULL for now.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_time IS
    'Private: NULL, or within the years 1 to 9999, which every client can read; else 22023 naming '
    'the argument.';
