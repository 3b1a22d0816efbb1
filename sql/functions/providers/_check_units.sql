CREATE OR REPLACE FUNCTION board._check_units(
    units    jsonb,
    argument text)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _hint text := 'Pass a JSON object of unit and amount, as in ''{"token": 3500}''.';
    _unit text;
    _amount jsonb;
    _checked jsonb := '{}'::jsonb;
BEGIN
    -- An amount is never printed: 1e131071 is eight characters of JSON and a hundred thousand
    -- digits.
    IF units IS NULL THEN
        RETURN '{}'::jsonb;
    ELSIF jsonb_typeof(units) <> 'object' THEN
        PERFORM board._invalid_argument(argument, format('is a JSON %s', jsonb_typeof(units)),
                                        _hint);
    ELSIF (SELECT count(*) FROM jsonb_object_keys(units)) > 32 THEN
        -- Before they are looked at one by one: nobody gets to have a million of them looked at.
        PERFORM board._invalid_argument(argument, 'has more than 32 units',
                                        'Name the units that have a limit or are billed.');
    END IF;
    FOR _unit, _amount IN SELECT e.key, e.value FROM jsonb_each(units) AS e LOOP
        PERFORM board._check_name(_unit, argument);
        IF jsonb_typeof(_amount) <> 'number' THEN
            PERFORM board._invalid_argument(argument,
                format('has a JSON %s as "%s"', jsonb_typeof(_amount), _unit), _hint);
        ELSIF _amount::numeric NOT BETWEEN 0 AND 1000000000000
            OR _amount::numeric <> trunc(_amount::numeric)
        THEN
            PERFORM board._invalid_argument(argument,
                format('has an amount of "%s" that is not one of 0 to 1000000000000', _unit),
                'Amounts are whole numbers: count a smaller unit, cents instead of euros.');
        END IF;
        _checked := _checked || jsonb_build_object(_unit, _amount::numeric::bigint);
    END LOOP;
    RETURN _checked;
END;
$$;

COMMENT ON FUNCTION board._check_units IS
    'Private: the argument as an object of unit and whole amount from 0 to 1,000,000,000,000, {} '
    'for NULL; else 22023.';
