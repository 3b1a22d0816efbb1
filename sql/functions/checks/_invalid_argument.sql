CREATE OR REPLACE FUNCTION board._invalid_argument(
    argument text,
    problem  text,
    hint     text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- The one place that words a refused argument, so that all of them read alike.
    IF hint IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = '22023',
            MESSAGE = format('invalid value for argument "%s"', argument),
            DETAIL = format('"%s" %s.', argument, problem);
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = '22023',
        MESSAGE = format('invalid value for argument "%s"', argument),
        DETAIL = format('"%s" %s.', argument, problem),
        HINT = hint;
END;
$$;

COMMENT ON FUNCTION board._invalid_argument IS
    'Private: raises 22023 for an argument. problem completes the sentence that begins with its '
    'name.';
