CREATE OR REPLACE FUNCTION board._scope_allows(
    scopes    text[],
    action    text,
    scope     text,
    arguments jsonb)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- A signature is worth what its key is: no group has sign, and each key is a scope of its own.
    -- What belongs to anybody, the bearer of any good token may ask: it is about the token itself.
    SELECT CASE WHEN scope = 'sign'
        THEN coalesce('sign:' || (arguments ->> 'key_name') = ANY (scopes), false)
        ELSE scope = 'anybody' OR action = ANY (scopes) OR scope = ANY (scopes)
            OR 'operator' = ANY (scopes)
            OR ('agent' = ANY (scopes) AND scope = 'viewer')
        END;
$$;

COMMENT ON FUNCTION board._scope_allows IS
    'Private: whether these scopes allow an action that belongs to the group scope; sign with the '
    'key among the arguments only by sign:KEY.';
