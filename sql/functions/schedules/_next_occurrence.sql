CREATE OR REPLACE FUNCTION board._next_occurrence(
    cron     text,
    after    timestamptz,
    timezone text)
RETURNS timestamptz
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _every CONSTANT interval := board._cron_every(cron);
    _utc CONSTANT timestamp := after AT TIME ZONE 'UTC';
    _local timestamp;
    _from timestamp;
    _before interval;
    _after interval;
    _early timestamp;
    _late timestamp;
BEGIN
    -- Everything is reckoned in timestamps without a zone, read as UTC or as the zone's local time:
    -- arithmetic on timestamptz would depend on the session's TimeZone.
    IF _every IS NOT NULL THEN
        RETURN CASE WHEN _utc + _every < '10000-01-01' THEN (_utc + _every) AT TIME ZONE 'UTC' END;
    END IF;

    -- The rule for clock changes in one sentence: a local time fires at the first moment at which
    -- the zone's clock shows that time or a later one. So what a change skips fires right after the
    -- gap, and what comes twice fires the first time. What the clock has shown by now is therefore
    -- done with, also while it shows it again.
    _local := after AT TIME ZONE timezone;
    _from := date_trunc('minute', _local) + interval '1 minute';
    _before := (_utc - interval '24 hours') AT TIME ZONE 'UTC' AT TIME ZONE timezone
        - (_utc - interval '24 hours');
    IF _before > _local - _utc THEN
        _late := board._clock_change(timezone, _utc - interval '24 hours', _utc) + _before;
        IF _late > date_trunc('minute', _late) THEN
            _late := date_trunc('minute', _late) + interval '1 minute';
        END IF;
        _from := greatest(_from, _late);
    END IF;

    _local := board._next_cron_time(board._cron_bits(cron), _from);
    -- The moment: what the clock was and will be ahead of UTC a day before and a day after.
    _before := (_local - interval '24 hours') AT TIME ZONE 'UTC' AT TIME ZONE timezone
        - (_local - interval '24 hours');
    _after := (_local + interval '24 hours') AT TIME ZONE 'UTC' AT TIME ZONE timezone
        - (_local + interval '24 hours');
    IF _before = _after THEN
        RETURN (_local - _before) AT TIME ZONE 'UTC';
    END IF;
    -- A change is near. Of the two candidates the earlier one counts if the clock shows the time
    -- then; if it does at neither, the change skips it.
    _early := _local - greatest(_before, _after);
    _late := _local - least(_before, _after);
    RETURN CASE
        WHEN _early AT TIME ZONE 'UTC' AT TIME ZONE timezone = _local THEN _early
        WHEN _late AT TIME ZONE 'UTC' AT TIME ZONE timezone = _local THEN _late
        ELSE board._clock_change(timezone, _early, _late)
    END AT TIME ZONE 'UTC';
END;
$$;

COMMENT ON FUNCTION board._next_occurrence IS
    'Private: body of next_occurrence for a checked zone and a finite moment.';
