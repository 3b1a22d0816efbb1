CREATE OR REPLACE FUNCTION board._uuid7_series(
    at    timestamptz,
    count int)
RETURNS uuid[]
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _us bigint := (extract(epoch FROM at) * 1000000)::bigint;
    _ids uuid[] := ARRAY[]::uuid[];
    _at bigint;
BEGIN
    -- As _uuid7, one for each microsecond from that moment on.
    FOR _at IN SELECT g.n FROM generate_series(_us, _us + count - 1) AS g (n) LOOP
        _ids := _ids || encode(
            substring(int8send(_at / 1000) FROM 3)
            || substring(int4send((7 << 12) | ((_at % 1000) * 4096 / 1000)::int) FROM 3)
            || substring(uuid_send(gen_random_uuid()) FROM 9), 'hex')::uuid;
    END LOOP;
    RETURN _ids;
END;
$$;

COMMENT ON FUNCTION board._uuid7_series IS
    'Private: that many UUIDs version 7 in ascending order, the first for that moment, the others '
    'a microsecond apart each.';
