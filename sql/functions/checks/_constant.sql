CREATE OR REPLACE FUNCTION board._constant(expression text)
RETURNS jsonb
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _part text[];
    _value text;
BEGIN
    -- As pg_get_expr writes constants: 5, '-5'::integer, true, NULL::text, '7 days'::interval,
    -- '{"a": 1}'::jsonb. Anything that has to be computed is no constant.
    IF expression LIKE 'NULL::%' THEN
        RETURN 'null'::jsonb;
    ELSIF expression ~ '^(true|false|[0-9.]+)$' THEN
        RETURN expression::jsonb;
    END IF;
    _part := regexp_match(expression, $q$^'((?:[^']|'')*)'::([a-z ]+(?:\[\])?)\Z$q$);
    _value := replace(_part[1], $q$''$q$, $q$'$q$);
    RETURN CASE
        WHEN _part[2] IN ('jsonb', 'integer', 'bigint', 'numeric', 'double precision')
            THEN _value::jsonb
        ELSE to_jsonb(_value)
    END;
END;
$$;

COMMENT ON FUNCTION board._constant IS
    'Private: the value of a default that is a constant, as JSON (intervals and times as strings); '
    'NULL for every other expression.';
