CREATE OR REPLACE FUNCTION board._bits_in_words(
    bits  bit varying,
    names text[])
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _words text[] := ARRAY[]::text[];
    _from int := 1;
    _run int;
BEGIN
    -- Runs of three and more are told by their ends.
    LOOP
        _run := position(B'1' IN substring(bits FROM _from));
        EXIT WHEN _run = 0;
        _from := _from + _run - 1;
        _run := position(B'0' IN substring(bits FROM _from) || B'0') - 1;
        IF _run >= 3 THEN
            _words := array_append(
                _words, names[_from] || ' to ' || names[_from + _run - 1]);
        ELSE
            _words := array_cat(_words, names[_from : _from + _run - 1]);
        END IF;
        _from := _from + _run;
    END LOOP;
    RETURN concat_ws(' and ',
                     nullif(array_to_string(trim_array(_words, 1), ', '), ''),
                     _words[cardinality(_words)]);
END;
$$;

COMMENT ON FUNCTION board._bits_in_words IS
    'Private: the names of the bits that are set, as in "1, 5 and 10 to 12".';
