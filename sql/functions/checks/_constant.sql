CREATE OR REPLACE FUNCTION board._constant(expression text)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- As pg_get_expr writes constants: 5, '-5'::integer, true, NULL::text, '7 days'::interval,
    -- '{"a": 1}'::jsonb. Anything that has to be computed is no constant.
    SELECT CASE
        WHEN expression ~ '^NULL(::|$)' THEN 'null'
        WHEN expression ~ '^(true|false|[0-9.]+)$' THEN expression::jsonb
        WHEN c.part[2] IN ('jsonb', 'integer', 'bigint', 'numeric', 'double precision')
            THEN c.value::jsonb
        ELSE to_jsonb(c.value)
    END
      FROM (SELECT m.part, replace(m.part[1], $q$''$q$, $q$'$q$)
              FROM regexp_match(expression, $q$^'((?:[^']|'')*)'::([a-z ]+(?:\[\])?)\Z$q$)
                AS m (part)) AS c (part, value);
$$;

COMMENT ON FUNCTION board._constant IS
    'Private: the value of a default that is a constant, as JSON (intervals and times as strings); '
    'NULL for every other expression.';
