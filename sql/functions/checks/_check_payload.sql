CREATE OR REPLACE FUNCTION board._check_payload(
    value    jsonb,
    argument text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _size bigint := pg_column_size(value #> '{}');
    _printed bigint;
    _most bigint;
BEGIN
    -- The small and ordinary value comes first and pays for one print of itself: of 800 bytes it is
    -- not 100 deep (8 bytes a level) and prints as 8 MB at most; no max_payload is below 10,000.
    IF _size IS NULL THEN
        RETURN;
    ELSIF _size <= 800 THEN
        _printed := octet_length(value::text);
        IF _printed <= 10000 THEN
            RETURN;
        END IF;
    ELSIF jsonb_path_exists(value,
        'strict $.**{100} ? (@.type() == "array" || @.type() == "object")')
    THEN
        PERFORM board._invalid_argument(argument, 'is nested more than 100 deep',
            'Values that are kept have at most 100 levels.');
    END IF;
    _most := (SELECT s.max_payload FROM board.settings AS s);
    _printed := coalesce(_printed, board._printed_size(value, _most));
    IF _printed > _most THEN
        PERFORM board._invalid_argument(argument,
            format('prints as %s bytes or more', _printed),
            format('At most %s bytes are kept (settings.max_payload). Keep what is larger '
                   'elsewhere, and its address here.', _most));
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_payload IS
    'Private: NULL, or a value that prints as at most settings.max_payload bytes and is at most '
    '100 levels deep; else 22023 naming the argument and both sizes.';
