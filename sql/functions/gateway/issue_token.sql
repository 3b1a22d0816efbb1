CREATE OR REPLACE FUNCTION board.issue_token(
    agent      text,
    scopes     text[],
    expires_in interval)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _id uuid := board._uuid7(_now);
    _caller text := board._caller();
    _token text;
BEGIN
    -- Inserts one row and locks nothing else. Everything is checked before the token exists, so no
    -- error can show a row with its hash. Touches access_tokens first: an upgrade locks in that
    -- order, and a scope may name a signing key.
    PERFORM FROM board.access_tokens AS t WHERE false;
    PERFORM board._check_name(agent, 'agent');
    PERFORM board._check_scopes(scopes);
    PERFORM board._check_duration(expires_in, 'expires_in');
    IF expires_in = '0' THEN
        PERFORM board._invalid_argument('expires_in', 'is 0', 'A token lives longer than nothing.');
    END IF;
    -- base64url (RFC 4648, section 5) without padding: safe in a header, a URL and a shell.
    _token := 'board_' || translate(encode(board._random_secret(), 'base64'), '+/=', '-_');
    INSERT INTO board.access_tokens
           (id, agent, scopes, token_hash, created_at, created_by, expires_at)
    VALUES (_id, issue_token.agent, issue_token.scopes, sha256(convert_to(_token, 'UTF8')),
            _now, _caller, _now + expires_in);
    PERFORM board._audit(NULL, 'issue_token', 'token:' || _id,
        jsonb_build_object('agent', agent, 'scopes', scopes, 'expires_at', _now + expires_in));
    RETURN _token;
END;
$$;

COMMENT ON FUNCTION board.issue_token IS
$$Makes a bearer token for board.request() and shows it this once: only its SHA-256 is kept.

agent       whom the bearer acts as; the token is the proof, also when the name is bound to a role
scopes      text[], what the bearer may do: 'viewer' (read), 'agent' (and work), 'operator' (and run
            the desk), or single actions, as in '{verify,enqueue}' for a webhook receiver; signing
            is in none of them but a scope per key, 'sign:KEY'
expires_in  interval, its life, more than nothing and at most 100 years

Returns the token: board_ and 43 characters. The view board.tokens has its id for revoke_token.
Errors: 22023 naming the argument.
Example: SELECT board.issue_token('agent-7', '{agent}', '90 days');$$;
