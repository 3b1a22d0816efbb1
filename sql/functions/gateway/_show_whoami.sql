CREATE OR REPLACE FUNCTION board._show_whoami(bearer board.access_tokens)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- What the token itself may do; whether a verb then finds a task in the right state is another
    -- matter. sign is there when it may sign with at least one key.
    RETURN jsonb_build_object(
        'agent', bearer.agent,
        'scopes', to_jsonb(bearer.scopes),
        'expires_at', bearer.expires_at,
        'actions', (SELECT jsonb_agg(a.action ORDER BY a.action)
                      FROM board._actions() AS a
                     WHERE CASE WHEN a.scope = 'sign'
                               THEN EXISTS (SELECT FROM unnest(bearer.scopes) AS s (scope)
                                             WHERE starts_with(s.scope, 'sign:'))
                               ELSE board._scope_allows(bearer.scopes, a.action, a.scope, NULL)
                               END));
END;
$$;

COMMENT ON FUNCTION board._show_whoami IS
    'Private: for request(), whom a token speaks for, until when, and which actions it may ask for.';
