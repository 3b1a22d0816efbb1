CREATE OR REPLACE FUNCTION board._check_duration(
    span     interval,
    argument text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- The upper end keeps "now + span" inside timestamptz, and keeps infinity out.
    IF span IS NULL THEN
        PERFORM board._invalid_argument(argument, 'is NULL', 'Pass how long, as in ''90 days''.');
    ELSIF span < '0' OR span > '100 years' THEN
        PERFORM board._invalid_argument(argument, format('is %s', span), 'It lies between 0 and 100 years.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_duration IS
    'Private: from 0 to 100 years; else 22023 naming the argument.';
