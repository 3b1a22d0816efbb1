CREATE OR REPLACE FUNCTION board._changed_fields(
    was jsonb,
    is_ jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(
        jsonb_object_agg(n.key, jsonb_build_object('from', was -> n.key, 'to', n.value)), '{}')
      FROM jsonb_each(is_) AS n (key, value)
     WHERE n.value IS DISTINCT FROM was -> n.key;
$$;

COMMENT ON FUNCTION board._changed_fields IS
    'Private: the members of two objects that differ, each with from and to, for the audit log.';
