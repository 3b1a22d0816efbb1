CREATE OR REPLACE FUNCTION board._check_timezone(timezone text)
RETURNS void
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _hint CONSTANT text := 'Pass a name of the IANA list, as in Europe/Berlin, or UTC.';
BEGIN
    -- PostgreSQL takes more than names: abbreviations (a session can change what EST means, and CET
    -- has no summer) and rules such as Foo/Bar+3. Neither says where a place's clocks are.
    IF timezone IS NULL THEN
        PERFORM board._invalid_argument('timezone', 'is NULL', _hint);
    ELSIF timezone !~ '^(UTC|GMT|Etc/GMT[+-][0-9]{1,2}|[A-Za-z]+(/[A-Za-z_-]+)+)$' THEN
        PERFORM board._invalid_argument('timezone',
            format('is "%s", which is no name of a place', left(timezone, 100)), _hint);
    END IF;
    BEGIN
        PERFORM timestamp '2000-01-01' AT TIME ZONE timezone;
    EXCEPTION
        WHEN invalid_parameter_value THEN
            PERFORM board._invalid_argument('timezone',
                format('is "%s", which this server does not know', left(timezone, 100)), _hint);
    END;
END;
$$;

COMMENT ON FUNCTION board._check_timezone IS
    'Private: the name of a place of the IANA time zone database, or UTC; else 22023.';
