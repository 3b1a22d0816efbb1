CREATE OR REPLACE FUNCTION board._uuid7(at timestamptz DEFAULT clock_timestamp())
RETURNS uuid
LANGUAGE sql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
    -- RFC 9562, section 5.7: 48 bits of Unix milliseconds, version, 12 bits of the fraction of the
    -- millisecond (section 6.2, method 3: microseconds stretched to 4096 steps), variant, 62 random
    -- bits. Two moments a microsecond apart give ids in that order.
    SELECT encode(
               set_byte(
                   substring(int8send(us.value / 1000) FROM 3)
                   || substring(int4send((7 << 12) | ((us.value % 1000) * 4096 / 1000)::int) FROM 3)
                   || substring(uuid_send(gen_random_uuid()) FROM 9),
                   8,
                   (get_byte(uuid_send(gen_random_uuid()), 0) & 63) | 128),
               'hex')::uuid
      FROM (SELECT (extract(epoch FROM at) * 1000000)::bigint) AS us (value);
$$;

COMMENT ON FUNCTION board._uuid7(timestamptz) IS
    'Private: a UUID version 7 (RFC 9562) for that moment, to the microsecond.';
