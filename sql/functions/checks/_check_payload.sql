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
    _number jsonb;
BEGIN
    -- What a value prints can be thousands of times what it is stored as: 1e131071 is 8 bytes, or
    -- 131,072 digits. So nothing is printed before it is known to be bounded. Locks nothing.
    --
    -- A number in a jsonb takes 16 bytes or more if it is wide, and prints as at most 147,456
    -- (131,072 digits before the point, 16,383 behind it); a byte of a string prints as at most 6
    -- (\u0001), an element as at most 2 for each byte of its own. A level of nesting takes 8 bytes.
    -- (#> '{}' is the value itself, without the compression of the table that it comes from.)
    IF _size IS NULL THEN
        RETURN;
    ELSIF _size <= 800 THEN
        -- Not 100 deep, and in the worst case 8 MB: printing is faster than any closer look. No
        -- max_payload is below 10,000, so that an ordinary small value needs no look at settings.
        _printed := octet_length(value::text);
        IF _printed <= 10000 THEN
            RETURN;
        END IF;
    END IF;
    _most := (SELECT s.max_payload FROM board.settings AS s);

    IF _size > 800 THEN
        IF jsonb_path_exists(value,
            'strict $.**{100} ? (@.type() == "array" || @.type() == "object")')
        THEN
            PERFORM board._invalid_argument(argument, 'is nested more than 100 deep',
                'Values that are kept have at most 100 levels.');
        END IF;
        -- All numbers together, a wide one taken for the widest.
        _printed := (
            SELECT coalesce(sum(scale(n.value::numeric)
                       + CASE WHEN abs(n.value::numeric) < 1e40 THEN 45 ELSE 131080 END), 0)
              FROM jsonb_path_query(value, 'strict $.** ? (@.type() == "number")') AS n (value));
        IF _printed + 6 * _size <= _most THEN
            RETURN;
        ELSIF _printed > _most THEN
            -- One by one and exactly, until it is too much.
            _printed := 0;
            FOR _number IN
                SELECT n.value
                  FROM jsonb_path_query(value, 'strict $.** ? (@.type() == "number")') AS n (value)
            LOOP
                _printed := _printed + octet_length(_number::text);
                EXIT WHEN _printed > _most;
            END LOOP;
        END IF;
        -- The numbers fit, and the rest prints as at most six times what is here: a quarter at
        -- least, so that of more than four times the limit no print is needed to tell.
        IF _size > 4 * _most THEN
            _printed := greatest(_printed, _size / 4);
        ELSIF _printed <= _most THEN
            _printed := octet_length(value::text);
        END IF;
    END IF;
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
