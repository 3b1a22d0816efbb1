CREATE OR REPLACE FUNCTION board._path_steps(path text)
RETURNS text[]
LANGUAGE plpgsql
IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- A wildcard, a bare name, a quoted name (JSON's escapes, those of characters that text can
    -- hold), an index.
    _step text := $re$(\.\*|\[\*\]|\.[A-Za-z_][A-Za-z0-9_]*$re$
        || $re$|\."(?:[^"\\\u0001-\u001f]|\\["\\/bfnrt]$re$
        || $re$|\\u(?!0000|[dD][89a-fA-F])[0-9a-fA-F]{4})*"$re$
        || $re$|\[(?:0|[1-9][0-9]*)\])$re$;
    _found text[];
BEGIN
    IF path IS NULL OR left(path, 1) <> '$' THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(f.step[1] ORDER BY f.nr)
      INTO _found
      FROM regexp_matches(substr(path, 2), _step, 'g') WITH ORDINALITY AS f (step, nr);
    -- What lies between two steps is lost by the search, so the steps must add up to the path.
    IF '$' || coalesce(array_to_string(_found, ''), '') <> path THEN
        RETURN NULL;
    END IF;
    -- One spelling for each step: * for either wildcard, no quotes that are not needed.
    RETURN ARRAY(
        SELECT CASE
                   WHEN s.step IN ('.*', '[*]') THEN '*'
                   WHEN s.step LIKE '."%' THEN board._path_step(substr(s.step, 2)::jsonb #>> '{}')
                   ELSE s.step
               END
          FROM unnest(_found) WITH ORDINALITY AS s (step, nr)
         ORDER BY s.nr);
END;
$$;

COMMENT ON FUNCTION board._path_steps IS
    'Private: the steps of a path ($.items[2].price, * for any one step), each in one spelling; '
    'NULL when it is not a path.';
