CREATE OR REPLACE FUNCTION board._check_delay(
    value    interval,
    argument text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF value NOT BETWEEN '0' AND '10 years' THEN
        PERFORM board._invalid_argument(
            argument, format('is %s', value), 'A delay is between 0 and 10 years.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_delay IS
    'Private: NULL, or 0 to 10 years; else 22023 naming the argument.';
