CREATE OR REPLACE FUNCTION board._last_occurrence(
    cron     text,
    timezone text,
    known    timestamptz,
    until    timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _every CONSTANT interval := board._cron_every(cron);
    _last timestamptz := known;
    _end timestamptz := until;
    _middle timestamptz;
    _next timestamptz;
BEGIN
    IF _every IS NOT NULL THEN
        RETURN (known AT TIME ZONE 'UTC' + floor(
            extract(epoch FROM until - known) / extract(epoch FROM _every))::float8 * _every)
            AT TIME ZONE 'UTC';
    END IF;
    -- Mostly none was missed, and the next one after known lies ahead. Else the span from _last, an
    -- occurrence, to _end, after which there is none up to until, is halved till nothing is left
    -- between: some twenty steps for a minute in a year.
    LOOP
        _next := board._next_occurrence(cron, _last, timezone);
        EXIT WHEN _next > until OR _next IS NULL;
        _last := _next;
        _middle := _last + (_end - _last) / 2;
        _next := board._next_occurrence(cron, _middle, timezone);
        IF _next > until OR _next IS NULL THEN
            _end := _middle;
        ELSE
            _last := _next;
        END IF;
    END LOOP;
    RETURN _last;
END;
$$;

COMMENT ON FUNCTION board._last_occurrence IS
    'Private: the last occurrence up to a moment; known is one that is not after it.';
