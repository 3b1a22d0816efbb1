CREATE OR REPLACE FUNCTION board._path_ignored(
    path    text,
    ignored text[])
RETURNS boolean
LANGUAGE plpgsql
IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _steps text[] := board._path_steps(path);
    _entry text;
    _wanted text[];
BEGIN
    FOREACH _entry IN ARRAY ignored LOOP
        -- An entry covers the place it names and all that lies below. One that is no path, or names
        -- nothing, covers nothing: a slip must not hide a difference.
        _wanted := board._path_steps(_entry);
        IF cardinality(_wanted) BETWEEN 1 AND cardinality(_steps)
            AND '*' <> ANY (_wanted)
            AND NOT EXISTS (
                SELECT
                  FROM unnest(_wanted) WITH ORDINALITY AS w (step, nr)
                 WHERE w.step NOT IN ('*', _steps[w.nr]))
        THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END;
$$;

COMMENT ON FUNCTION board._path_ignored(text, text[]) IS
    'Private: whether one of the ignored paths names this place or one above it; * matches exactly one step, member or index.';
