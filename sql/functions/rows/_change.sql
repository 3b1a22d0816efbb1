CREATE OR REPLACE FUNCTION board._change(
    who  text,
    type text,
    note jsonb DEFAULT NULL)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object('actor', who, 'type', type))
        || CASE WHEN note IS NULL THEN '{}' ELSE jsonb_build_object('note', note) END;
$$;

COMMENT ON FUNCTION board._change IS
    'Private: the value for tasks.change: who makes this change, as which event, with what note.';
