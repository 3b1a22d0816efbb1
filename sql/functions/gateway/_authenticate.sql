CREATE OR REPLACE FUNCTION board._authenticate(token text)
RETURNS board.access_tokens
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _hash bytea;
    _token board.access_tokens;
BEGIN
    -- Found by its hash in a unique index: what a stopwatch could tell of that lookup is about the
    -- hash, from which no token can be computed. The length is looked at first: nobody gets to have
    -- gigabytes hashed. Locks nothing, except where the snapshot may be older than a revocation:
    -- there a row that somebody has touched since (xmax; only revocations do) is locked, which
    -- waits for one under way, and raises 40001 instead of believing the old row.
    IF length(token) < 100 THEN
        _hash := sha256(convert_to(token, 'UTF8'));
        SELECT t.* INTO _token FROM board.access_tokens AS t WHERE t.token_hash = _hash;
    END IF;
    IF _token.id IS NULL OR _token.revoked_at IS NOT NULL
        OR _token.expires_at <= clock_timestamp()
    THEN
        PERFORM board._deny_access('28000');
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        PERFORM
           FROM board.access_tokens AS t
          WHERE t.id = _token.id AND t.xmax::text <> '0'
            FOR SHARE;
    END IF;
    RETURN _token;
END;
$$;

COMMENT ON FUNCTION board._authenticate IS
    'Private: the row of a token that is good now; 28000 for every other.';
