CREATE OR REPLACE FUNCTION board.hmac_sha256(
    message bytea,
    key     bytea)
RETURNS bytea
LANGUAGE plpgsql
IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _key bytea := CASE WHEN length(key) > 64 THEN sha256(key) ELSE key END;
    _inner bytea := decode(repeat('36', 64), 'hex');
    _outer bytea := decode(repeat('5c', 64), 'hex');
BEGIN
    -- RFC 2104 with SHA-256, whose block is 64 bytes: the key, padded with zeros to a block, is
    -- XORed into both pads. Locks nothing, reads no table.
    FOR _i IN 0 .. length(_key) - 1 LOOP
        _inner := set_byte(_inner, _i, get_byte(_key, _i) # 54);
        _outer := set_byte(_outer, _i, get_byte(_key, _i) # 92);
    END LOOP;
    RETURN sha256(_outer || sha256(_inner || message));
END;
$$;

COMMENT ON FUNCTION board.hmac_sha256 IS
$$Computes HMAC-SHA256 (RFC 2104) from the built-in sha256() alone: no extension is needed.

message  bytea, what to authenticate
key      bytea, the secret, of any length

Returns 32 bytes; NULL when either argument is NULL. The vectors of RFC 4231 hold.
Example: SELECT encode(board.hmac_sha256('what do ya want for nothing?', 'Jefe'), 'hex');$$;
