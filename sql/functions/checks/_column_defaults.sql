CREATE OR REPLACE FUNCTION board._column_defaults(relation regclass)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- A column that is computed, or that every row has to bring, has no member here.
    RETURN (
        SELECT jsonb_object_agg(c.attname, c.value)
          FROM (SELECT a.attname,
                       CASE
                           WHEN a.atthasdef
                               THEN board._constant(pg_get_expr(d.adbin, d.adrelid))
                           WHEN NOT a.attnotnull
                               THEN 'null'
                       END AS value
                  FROM pg_attribute AS a
                  LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                 WHERE a.attrelid = _column_defaults.relation
                   AND a.attnum > 0
                   AND NOT a.attisdropped
                   AND a.attgenerated = '') AS c
         WHERE c.value IS NOT NULL);
END;
$$;

COMMENT ON FUNCTION board._column_defaults IS
    'Private: the constant defaults of a table''s columns, null where it has none.';
