CREATE OR REPLACE FUNCTION board._describe_outcome(
    finished_by text,
    step        text,
    succeeded   boolean,
    attempt     int,
    late        boolean,
    response    jsonb)
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('%s says that step "%s" %s%s%s', finished_by, step,
                  CASE WHEN succeeded THEN 'succeeded' ELSE 'failed' END,
                  CASE WHEN late THEN format(' at attempt %s, too late to count', attempt) END,
                  ': ' || left(response::text, 60));
$$;

COMMENT ON FUNCTION board._describe_outcome IS
    'Private: the outcome of a call as a sentence, for board.history.';
