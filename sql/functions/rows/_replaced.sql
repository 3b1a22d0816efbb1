CREATE OR REPLACE FUNCTION board._replaced(
    was jsonb,
    is_ jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object('from', jsonb_build_object('payload', was),
                              'to', jsonb_build_object('payload', is_));
$$;

COMMENT ON FUNCTION board._replaced IS
    'Private: payload of the event replaced for a task that got another payload with a retry.';
