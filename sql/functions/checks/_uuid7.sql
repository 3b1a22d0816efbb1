CREATE OR REPLACE FUNCTION board._uuid7(at timestamptz DEFAULT clock_timestamp())
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _us bigint := (extract(epoch FROM at) * 1000000)::bigint;
    _random bytea := substring(uuid_send(gen_random_uuid()) FROM 9);
BEGIN
    -- RFC 9562, section 5.7: 48 bits of Unix milliseconds, version, 12 bits of the fraction of the
    -- millisecond (section 6.2, method 3: microseconds stretched to 4096 steps), variant, 62 random
    -- bits (the second half of a version 4 UUID, which begins with the same variant). Two moments a
    -- microsecond apart give ids in that order.
    RETURN encode(
        substring(int8send(_us / 1000) FROM 3)
        || substring(int4send((7 << 12) | ((_us % 1000) * 4096 / 1000)::int) FROM 3)
        || _random, 'hex')::uuid;
END;
$$;

COMMENT ON FUNCTION board._uuid7 IS
    'Private: a UUID version 7 (RFC 9562) for that moment, to the microsecond.';
