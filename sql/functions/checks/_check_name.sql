CREATE OR REPLACE FUNCTION board._check_name(
    value    text,
    argument text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF value IS NULL THEN
        PERFORM board._invalid_argument(argument, 'is NULL', 'Pass a name of 1 to 200 characters.');
    ELSIF length(value) NOT BETWEEN 1 AND 200 THEN
        PERFORM board._invalid_argument(argument, format('has %s characters', length(value)),
                              'A name has 1 to 200 characters.');
    ELSIF value ~ '[\u0001-\u001f\u007f-\u009f]' THEN
        PERFORM board._invalid_argument(argument, 'has control characters in it',
                              'A name has 1 to 200 characters and no control characters.');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_name IS
    'Private: 1 to 200 characters, none of them a control character (U+0001 to U+001F, U+007F '
    'to U+009F); else 22023 naming the argument.';
