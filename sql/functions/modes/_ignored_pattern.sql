CREATE OR REPLACE FUNCTION board._ignored_pattern(ignored_paths text[])
RETURNS text
LANGUAGE plpgsql
IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _path text;
    _steps text[];
    _entries text[] := ARRAY[]::text[];
    _any CONSTANT text := $re$(?:\.[A-Za-z_][A-Za-z0-9_]*|\."(?:[^"\\]|\\.)*"|\[[0-9]+\])$re$;
BEGIN
    FOREACH _path IN ARRAY ignored_paths LOOP
        _steps := board._path_steps(_path);
        -- An entry that is no path, or names nothing, covers nothing: a slip must not hide a
        -- difference.
        CONTINUE WHEN _steps IS NULL OR '*' = ALL (_steps);
        _entries := _entries || (
            SELECT string_agg(
                       CASE
                           WHEN s.step = '*' THEN _any
                           ELSE regexp_replace(s.step, $re$([].*+?^$(){}|\\[])$re$, $re$\\\1$re$, 'g')
                       END, '' ORDER BY s.nr)
              FROM unnest(_steps) WITH ORDINALITY AS s (step, nr));
    END LOOP;
    -- An entry covers the place it names and all below it: what follows is nothing or another step.
    RETURN CASE
        WHEN _entries <> '{}' THEN '^[$](?:' || array_to_string(_entries, '|') || ')(?:$|[.[])'
    END;
END;
$$;

COMMENT ON FUNCTION board._ignored_pattern IS
    'Private: a regular expression for the paths of _json_diff that the ignored paths cover (* is '
    'exactly one step, member or index); NULL: none.';
