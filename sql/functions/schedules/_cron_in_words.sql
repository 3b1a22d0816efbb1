CREATE OR REPLACE FUNCTION board._cron_in_words(cron text)
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _every interval := board._cron_every(cron);
    _seconds bigint := extract(epoch FROM _every);
    _bits bit varying[];
    _minutes int[];
    _hours int[];
    _of text;
    _times text;
    _days text;
BEGIN
    IF _seconds IS NOT NULL THEN
        RETURN 'every ' || (
            SELECT concat_ws(' ', nullif(u.n, 1), u.name || CASE WHEN u.n > 1 THEN 's' ELSE '' END)
              FROM (VALUES (86400, 'day'), (3600, 'hour'), (60, 'minute'), (1, 'second'))
                   AS v (size, name),
                   LATERAL (SELECT _seconds / v.size, v.name, v.size) AS u (n, name, size)
             WHERE _seconds % v.size = 0
             LIMIT 1);
    END IF;

    _bits := board._cron_bits(cron);
    _minutes := ARRAY(SELECT i FROM generate_series(0, 59) AS i WHERE get_bit(_bits[1], i) = 1);
    _hours := ARRAY(SELECT i FROM generate_series(0, 23) AS i WHERE get_bit(_bits[2], i) = 1);
    _days := board._days_in_words(_bits);
    -- A few moments are told one by one; many of them by their rhythm and the hours it is kept in.
    IF cardinality(_minutes) * cardinality(_hours) <= 4 THEN
        RETURN _days || ' at ' || regexp_replace(
            (SELECT string_agg(lpad(h::text, 2, '0') || ':' || lpad(m::text, 2, '0'),
                               ', ' ORDER BY h, m)
               FROM unnest(_hours) AS h, unnest(_minutes) AS m),
            ', ([0-9:]+)$', E' and \\1');
    END IF;
    IF cardinality(_hours) < 24 THEN
        _of := CASE WHEN cardinality(_hours) = 1 THEN 'the hour ' ELSE 'the hours ' END
            || board._bits_in_words(_bits[2], ARRAY(SELECT generate_series(0, 23)::text));
    END IF;
    IF cardinality(_minutes) = 60 THEN
        _times := 'every minute' || coalesce(' of ' || _of, '');
    ELSIF cardinality(_minutes) > 1 AND _minutes = ARRAY(SELECT generate_series(0, 59, _minutes[2]))
          AND 60 % _minutes[2] = 0 THEN
        _times := format('every %s minutes', _minutes[2]) || coalesce(' of ' || _of, '');
    ELSIF _minutes = '{0}' AND _of IS NULL THEN
        _times := 'every hour';
    ELSIF _minutes = '{0}' AND _hours = ARRAY(SELECT generate_series(0, 23, _hours[2]))
          AND 24 % _hours[2] = 0 THEN
        _times := format('every %s hours', _hours[2]);
    ELSE
        _times := format('at minute%s %s of %s',
            CASE WHEN cardinality(_minutes) > 1 THEN 's' END,
            board._bits_in_words(_bits[1], ARRAY(SELECT generate_series(0, 59)::text)),
            coalesce(_of, 'every hour'));
    END IF;
    RETURN concat_ws(' ', _times, nullif(_days, 'every day'));
END;
$$;

COMMENT ON FUNCTION board._cron_in_words IS
    'Private: what a cron expression means, as in "every weekday at 09:00".';
