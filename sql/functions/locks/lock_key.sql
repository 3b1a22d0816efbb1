CREATE OR REPLACE FUNCTION board.lock_key(resource text)
RETURNS bigint
LANGUAGE sql
IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- 64 bits of a hash without known collisions. hashtext has 32: two of a few hundred thousand
    -- names share one, and whoever chooses names can aim at it.
    SELECT ('x' || left(encode(sha256(convert_to(resource, 'UTF8')), 'hex'), 16))::bit(64)::bigint;
$$;

COMMENT ON FUNCTION board.lock_key IS
$$The advisory lock key of a resource: the first 8 bytes of the SHA-256 of its name in UTF-8, as a
bigint. The same on every server, and easy to compute elsewhere.

resource  text; NULL gives NULL

Returns bigint, for pg_advisory_xact_lock(bigint) and its like; board.try_lock(resource) takes this
key.
Example: SELECT pg_advisory_xact_lock(board.lock_key('order_123'));
SHA-256: FIPS 180-4.$$;
