CREATE OR REPLACE FUNCTION board._path_step(key text)
RETURNS text
LANGUAGE sql
IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT '.' || CASE WHEN key ~ '^[A-Za-z_][A-Za-z0-9_]*$' THEN key ELSE to_json(key)::text END;
$$;

COMMENT ON FUNCTION board._path_step IS
    'Private: one member of a path in the syntax of jsonpath: .name, or ."any text" where a name '
    'needs quotes.';
