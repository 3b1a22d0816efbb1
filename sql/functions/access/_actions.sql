CREATE OR REPLACE FUNCTION board._actions()
RETURNS TABLE (action text, wing text, scope text, arguments text[])
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- What request() does: the action, the wing whose _request_WING runs it, the scope it belongs to,
    -- and its arguments: "name type" or "name type = default", the default as JSON. An argument of
    -- type who is the token's agent. tests/test_access.py holds this list against the functions'
    -- own names, types and defaults.
    --
    -- Not here: what is the administrator's; lock_row, which reads other tables with its caller's
    -- rights, which here would be the owner's; try_lock and lock_key, which mean something only
    -- inside the caller's own transaction; hmac_sha256, which every client has.
    SELECT v.action, v.wing, v.scope, v.arguments
      FROM (VALUES
        -- access
        ('sign', 'access', 'agent', ARRAY['key_name text', 'message_id text', 'body text']),
        ('verify', 'access', 'agent', ARRAY['key_name text', 'headers jsonb', 'body text',
                                            'tolerance interval = "5 minutes"'])
      ) AS v (action, wing, scope, arguments);
$$;

COMMENT ON FUNCTION board._actions() IS 'Private: the fixed list of what request() does.';
