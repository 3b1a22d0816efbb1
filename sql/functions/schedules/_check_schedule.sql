CREATE OR REPLACE FUNCTION board._check_schedule(
    name      text,
    kind      text,
    payload   jsonb,
    timezone  text,
    priority  bigint,
    missed    text,
    overlap   text,
    starts_at timestamptz,
    ends_at   timestamptz)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- The expression is not here: whoever puts it into words checks it.
    PERFORM board._check_name(name, 'name');
    PERFORM board._check_name(kind, 'kind');
    PERFORM board._check_timezone(timezone);
    IF payload IS NULL THEN
        PERFORM board._invalid_argument('payload', 'is NULL', 'Pass ''{}'' for no payload.');
    END IF;
    PERFORM board._check_payload(payload, 'payload');
    IF priority IS NULL OR priority NOT BETWEEN -2147483648 AND 2147483647 THEN
        PERFORM board._invalid_argument('priority', 'is ' || coalesce(priority::text, 'NULL'),
            'Pass a number from -2147483648 to 2147483647; 0 is usual.');
    END IF;
    IF (missed IN ('one', 'all', 'none')) IS NOT TRUE THEN
        PERFORM board._invalid_argument('missed', coalesce('is "' || left(missed, 40) || '"', 'is NULL'),
            'Pass one, all or none.');
    END IF;
    IF (overlap IN ('skip', 'allow')) IS NOT TRUE THEN
        PERFORM board._invalid_argument('overlap', coalesce('is "' || left(overlap, 40) || '"', 'is NULL'),
            'Pass skip or allow.');
    END IF;
    PERFORM board._check_time(starts_at, 'starts_at');
    PERFORM board._check_time(ends_at, 'ends_at');
    IF ends_at < starts_at THEN
        PERFORM board._invalid_argument('ends_at', 'is before starts_at');
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_schedule IS
    'Private: the arguments of schedule but for the expression; 22023.';
