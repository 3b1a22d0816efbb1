CREATE OR REPLACE FUNCTION board._describe_outcome(call board.calls)
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('%s says that step "%s" %s%s%s', (call).finished_by, (call).step,
                  CASE WHEN (call).succeeded THEN 'succeeded' ELSE 'failed' END,
                  CASE WHEN (call).late
                      THEN format(' at attempt %s, too late to count', (call).attempt) END,
                  ': ' || left((call).response::text, 60));
$$;

COMMENT ON FUNCTION board._describe_outcome IS
    'Private: the outcome of a call as a sentence, for board.history.';
