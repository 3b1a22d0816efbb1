CREATE OR REPLACE FUNCTION board._scope_allows(
    scopes text[],
    action text,
    scope  text)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT action = ANY (scopes) OR scope = ANY (scopes)
        OR 'operator' = ANY (scopes)
        OR ('agent' = ANY (scopes) AND scope = 'viewer');
$$;

COMMENT ON FUNCTION board._scope_allows IS
    'Private: whether these scopes allow an action that belongs to the group scope.';
