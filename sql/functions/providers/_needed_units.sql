CREATE OR REPLACE FUNCTION board._needed_units(
    cost  bigint,
    units jsonb)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _units jsonb;
BEGIN
    -- An amount of 0 asks for nothing, also of a limit that is passed already.
    PERFORM board._check_count(cost, 'cost', 1000000000000);
    _units := board._check_units(_needed_units.units, 'units');
    IF _units ? 'call' THEN
        PERFORM board._invalid_argument('units', 'names "call"',
            'How many calls it counts as is said with cost.');
    END IF;
    SELECT jsonb_build_object('call', cost) || coalesce(jsonb_object_agg(e.key, e.value), '{}')
      INTO _units
      FROM jsonb_each(_units) AS e
     WHERE e.value <> '0';
    RETURN _units;
END;
$$;

COMMENT ON FUNCTION board._needed_units IS
    'Private: what a call needs of each unit, calls included, from the arguments of take and '
    'begin_call; else 22023.';
