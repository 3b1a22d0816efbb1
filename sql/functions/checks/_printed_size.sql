CREATE OR REPLACE FUNCTION board._printed_size(
    value jsonb,
    most  bigint)
RETURNS bigint
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _size bigint := pg_column_size(value #> '{}');
    _printed bigint;
    _number jsonb;
BEGIN
    -- What a value prints can be thousands of times what it is stored as: 1e131071 is 8 bytes, or
    -- 131,072 digits. So nothing is printed before it is known to be bounded. Locks nothing.
    --
    -- A number in a jsonb takes 16 bytes or more if it is wide, and prints as at most 147,456
    -- (131,072 digits before the point, 16,383 behind it); a byte of a string prints as at most 6
    -- (\u0001), an element as at most 2 for each byte of its own, and as a quarter at least.
    -- (#> '{}' is the value itself, without the compression of the table that it comes from.)
    IF _size <= 800 THEN
        -- 8 MB in the worst case: printing is faster than any closer look.
        RETURN octet_length(value::text);
    END IF;
    -- All numbers together, a wide one taken for the widest.
    _printed := (
        SELECT coalesce(sum(scale(n.value::numeric)
                   + CASE WHEN abs(n.value::numeric) < 1e40 THEN 45 ELSE 131080 END), 0)
          FROM jsonb_path_query(value, 'strict $.** ? (@.type() == "number")') AS n (value));
    IF _printed + 6 * _size <= most THEN
        RETURN _printed + 6 * _size;
    ELSIF _printed > most THEN
        -- One by one and exactly, until it is too much.
        _printed := 0;
        FOR _number IN
            SELECT n.value
              FROM jsonb_path_query(value, 'strict $.** ? (@.type() == "number")') AS n (value)
        LOOP
            _printed := _printed + octet_length(_number::text);
            EXIT WHEN _printed > most;
        END LOOP;
    END IF;
    -- The numbers fit, and the rest prints as at most six times what is here. Of more than four
    -- times the limit no print is needed to tell.
    IF _size > 4 * most THEN
        RETURN greatest(_printed, _size / 4);
    ELSIF _printed > most THEN
        RETURN _printed;
    END IF;
    RETURN octet_length(value::text);
END;
$$;

COMMENT ON FUNCTION board._printed_size IS
    'Private: the bytes that a value prints as, or an upper bound of them, when they are not more '
    'than most; else a number above most that it prints as at least.';
