CREATE OR REPLACE FUNCTION board._changed_row(
    was      anyelement,
    changes  jsonb,
    reset    text[],
    relation regclass)
RETURNS anyelement
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _defaults jsonb := board._column_defaults(relation);
    _row jsonb;
    _key text;
    _value jsonb;
BEGIN
    -- Defaults for what is to be reset, then what was passed, over what was. The caller holds the
    -- lock of the row and writes it; the table's CHECKs and _check_violation say what is refused.
    IF NOT reset <@ ARRAY(SELECT jsonb_object_keys(_defaults)
                       INTERSECT SELECT jsonb_object_keys(changes))
       OR array_position(reset, NULL) IS NOT NULL
    THEN
        PERFORM board._invalid_argument('reset', 'names what cannot be reset', format(
            'Pass names out of: %s.',
            (SELECT string_agg(c.key, ', ' ORDER BY c.key)
               FROM jsonb_object_keys(changes) AS c (key) WHERE _defaults ? c.key)));
    END IF;
    SELECT jsonb_object_agg(d.key, d.value) INTO _row
      FROM jsonb_each(_defaults) AS d (key, value) WHERE d.key = ANY (reset);
    _row := coalesce(_row, '{}') || jsonb_strip_nulls(changes);
    FOR _key, _value IN SELECT r.key, r.value FROM jsonb_each(_row) AS r (key, value) LOOP
        BEGIN
            was := jsonb_populate_record(was, jsonb_build_object(_key, _value));
        EXCEPTION
            WHEN data_exception THEN
                PERFORM board._invalid_argument(
                    _key, format('is %s', left(_value #>> '{}', 100)),
                    format('It is of type %s.', (
                        SELECT format_type(a.atttypid, NULL) FROM pg_attribute AS a
                         WHERE a.attrelid = relation AND a.attname = _key)));
        END;
    END LOOP;
    RETURN was;
END;
$$;

COMMENT ON FUNCTION board._changed_row IS
    'Private: a row of relation with changes (null: not passed) and with the defaults of the '
    'columns named in reset; 22023 for a name that is not among the changes or has no default, and '
    'for a value that does not fit its column. A default that is not to be reset to is left out of '
    'the changes.';
