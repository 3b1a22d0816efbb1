CREATE OR REPLACE FUNCTION board._action_list()
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT string_agg(a.action, ', ' ORDER BY a.action) FROM board._actions() AS a;
$$;

COMMENT ON FUNCTION board._action_list IS 'Private: the actions of request() in a sentence.';
