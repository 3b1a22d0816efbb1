CREATE OR REPLACE FUNCTION board._sign(
    key_name   text,
    message_id text,
    body       text)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _time text := trunc(extract(epoch FROM _now))::text;
    _content bytea := convert_to(message_id || '.' || _time || '.' || coalesce(body, ''), 'UTF8');
    _signatures text;
BEGIN
    -- Reads the key and its secrets and locks nothing. While a rotation lasts each valid secret
    -- signs, the newest first.
    IF key_name IS NULL THEN
        RETURN '{}'::jsonb;
    ELSIF EXISTS (SELECT FROM board.signing_keys AS k
                   WHERE k.name = _sign.key_name AND NOT k.signs) THEN
        PERFORM board._invalid_argument('key_name', 'names a key that was imported',
            'It verifies what its maker signs. Sign with one of board.create_signing_key().');
    END IF;
    SELECT string_agg('v1,' || encode(board.hmac_sha256(_content, s.secret), 'base64'), ' '
                      ORDER BY s.version DESC)
      INTO _signatures
      FROM board.signing_secrets AS s
     WHERE s.key_name = _sign.key_name AND (s.valid_until IS NULL OR s.valid_until > _now);
    IF _signatures IS NULL THEN
        PERFORM board._invalid_argument('key_name', 'names no signing key',
            'Make it with board.create_signing_key().');
    ELSIF message_id !~ '^[^.[:space:][:cntrl:]]{1,200}$' THEN
        PERFORM board._invalid_argument('message_id', 'is not 1 to 200 characters without dots and blanks',
            'A dot would let a signature of one message pass for another''s.');
    END IF;
    RETURN jsonb_build_object('webhook-id', message_id, 'webhook-timestamp', _time,
                              'webhook-signature', _signatures);
END;
$$;

COMMENT ON FUNCTION board._sign IS
    'Private: the three webhook- headers that sign body under message_id with a key; no headers for no key; 22023 for a key that does not exist or was imported, or an id that must not be signed.';
