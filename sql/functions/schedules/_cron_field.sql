CREATE OR REPLACE FUNCTION board._cron_field(
    field text,
    part  text,
    low   int,
    high  int,
    names text[] DEFAULT '{}')
RETURNS bit varying
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _none CONSTANT bit varying :=
        B'000000000000000000000000000000000000000000000000000000000000';
    _bits bit varying := substring(_none FROM 1 FOR high - low + 1);
    _item text;
    _parts text[];
    _first int;
    _last int;
    _step int;
BEGIN
    -- One bit for each value from low to high. field is in lower case. An item is *, a value or
    -- a range, each with a step or without one; a value with a step goes on to the end.
    IF field = '*' THEN
        RETURN ~ _bits;
    END IF;
    FOREACH _item IN ARRAY string_to_array(field, ',') LOOP
        _parts := regexp_match(_item, '^(?:[*]|([0-9]{1,9}|[a-z]{3})(?:-([0-9]{1,9}|[a-z]{3}))?)'
                                      '(?:/([0-9]{1,9}))?$');
        IF _parts IS NULL THEN
            PERFORM board._invalid_argument('cron',
                format('has "%s" in its %s field', left(_item, 40), part),
                'An item is *, a value or a range, with or without a step: *, 5, 1-5, */15, 8-18/2.');
        END IF;
        _first := low;
        _last := high;
        IF _parts[1] IS NOT NULL THEN
            _first := board._cron_value(_parts[1], part, low, high, names);
        END IF;
        IF _parts[2] IS NOT NULL THEN
            _last := board._cron_value(_parts[2], part, low, high, names);
        ELSIF _parts[1] IS NOT NULL AND _parts[3] IS NULL THEN
            _last := _first;
        END IF;
        _step := coalesce(_parts[3]::int, 1);
        -- fri-sun: a week may end with a Sunday.
        IF _parts[2] = 'sun' AND _first > 0 THEN
            _last := 7;
        END IF;
        IF _last < _first THEN
            PERFORM board._invalid_argument('cron',
                format('has "%s" in its %s field, which runs backwards', _item, part),
                format('Write it as two ranges: %s-%s,%s-%s.', _first, high, low, _last));
        ELSIF _step NOT BETWEEN 1 AND high - low + 1 THEN
            PERFORM board._invalid_argument('cron',
                format('has "%s" in its %s field, whose steps go from 1 to %s', _item, part,
                       high - low + 1),
                'A step counts within its field; for other spans there is @every, as in @every 90 minutes.');
        END IF;
        FOR _value IN _first .. _last BY _step LOOP
            _bits := set_bit(_bits, _value - low, 1);
        END LOOP;
    END LOOP;
    RETURN _bits;
END;
$$;

COMMENT ON FUNCTION board._cron_field IS
    'Private: the values that a field of a cron expression names, one bit for each from low to '
    'high; 22023 naming the field.';
