CREATE OR REPLACE FUNCTION board._compare(
    decided       jsonb,
    actual        jsonb,
    ignored_paths text[],
    OUT verdict   text,
    OUT paths     text[],
    OUT ignored   text[])
RETURNS record
LANGUAGE plpgsql
IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _path text;
    _ignored text;
BEGIN
    -- Computes only: whoever stores the verdict holds the lock of the compared step.
    paths := '{}';
    ignored := '{}';
    IF decided IS NULL OR actual IS NULL THEN
        verdict := 'missing';
        RETURN;
    END IF;
    _ignored := board._ignored_pattern(ignored_paths);
    FOREACH _path IN ARRAY board._json_diff(decided, actual) LOOP
        IF _path ~ _ignored THEN
            ignored := ignored || _path;
        ELSE
            paths := paths || _path;
        END IF;
    END LOOP;
    -- A million differences say no more than a thousand.
    paths := paths[:1000];
    ignored := ignored[:1000];
    verdict := CASE
        WHEN paths <> '{}' THEN 'diverged'
        WHEN ignored <> '{}' THEN 'ignored'
        ELSE 'matched'
    END;
END;
$$;

COMMENT ON FUNCTION board._compare IS
    'Private: the verdict on two sides (NULL: not there), the first 1,000 paths at which they '
    'differ, and the first 1,000 of those that the ignored paths take out.';
