CREATE OR REPLACE FUNCTION board.revoke_token(id uuid)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz;
    _caller text := board._caller();
    _token board.access_tokens;
BEGIN
    -- Locks one token by primary key. Requests read the row without a lock, so nobody waits here
    -- for a busy front; one that was let in before this commits may finish after it.
    SELECT t.* INTO _token FROM board.access_tokens AS t WHERE t.id = revoke_token.id
       FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM board._invalid_argument('id', 'names no token', 'The view board.tokens lists them.');
    ELSIF _token.revoked_at IS NOT NULL THEN
        RETURN false;
    END IF;
    _now := clock_timestamp();
    UPDATE board.access_tokens AS t
       SET revoked_at = _now, revoked_by = _caller
     WHERE t.id = _token.id;
    PERFORM board._audit(NULL, 'revoke_token', 'token:' || _token.id,
                         jsonb_build_object('agent', _token.agent));
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board.revoke_token IS
$$Ends a bearer token: once this is committed every new request with it is refused (28000).

id  uuid of the token, as in the view board.tokens

Returns whether this call ended it; false when it was revoked before.
Errors: 22023 when there is no such token.
Example: SELECT board.revoke_token(t.id) FROM board.tokens AS t WHERE t.agent = 'agent-7';$$;
