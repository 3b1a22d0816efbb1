CREATE OR REPLACE FUNCTION board._first_occurrence(
    cron      text,
    timezone  text,
    starts_at timestamptz,
    ends_at   timestamptz,
    after     timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _every CONSTANT interval := board._cron_every(cron);
    _seconds bigint := extract(epoch FROM _every);
    _utc CONSTANT timestamp := after AT TIME ZONE 'UTC';
    _start CONSTANT timestamp := starts_at AT TIME ZONE 'UTC';
    _at timestamptz;
BEGIN
    -- @every counts from starts_at, whole spans at a time; without it from the second of "after".
    IF _every IS NULL THEN
        _at := board._next_occurrence(
            cron, greatest(_utc, _start - interval '1 microsecond') AT TIME ZONE 'UTC', timezone);
    ELSIF _start > _utc THEN
        _at := starts_at;
    ELSIF _start IS NOT NULL THEN
        _at := (_start + (floor(extract(epoch FROM _utc - _start) / _seconds) + 1)::float8 * _every)
            AT TIME ZONE 'UTC';
    ELSE
        _at := (date_trunc('second', _utc) + _every) AT TIME ZONE 'UTC';
    END IF;
    RETURN CASE WHEN _at > ends_at THEN NULL ELSE _at END;
END;
$$;

COMMENT ON FUNCTION board._first_occurrence IS
    'Private: the first occurrence of a schedule after that moment, from starts_at to ends_at; NULL: '
    'there is none.';
