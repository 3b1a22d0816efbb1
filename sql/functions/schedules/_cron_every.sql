CREATE OR REPLACE FUNCTION board._cron_every(cron text)
RETURNS interval
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _text text := lower(btrim(cron, E' \t') COLLATE "C");
    _term text[];
    _seconds bigint := 0;
BEGIN
    -- Not the input of type interval: that depends on the session's IntervalStyle, and a month is
    -- no span of time.
    _text := substring(_text FROM E'^@every(?:[ \t]+(.*))?$');
    IF lower(cron COLLATE "C") !~ E'^[ \t]*@every' OR cron IS NULL THEN
        RETURN NULL;
    END IF;
    IF _text ~ '^([0-9]{1,9} ?(weeks?|w|days?|d|hours?|h|minutes?|min|m|seconds?|sec|s) ?)+$' THEN
        FOR _term IN SELECT regexp_matches(_text, '([0-9]+) ?([a-z])', 'g') LOOP
            _seconds := _seconds + _term[1]::bigint * CASE _term[2]
                WHEN 'w' THEN 604800
                WHEN 'd' THEN 86400
                WHEN 'h' THEN 3600
                WHEN 'm' THEN 60
                ELSE 1
            END;
        END LOOP;
    END IF;
    -- Nothing, and what was not understood, come here as 0.
    IF _seconds NOT BETWEEN 1 AND 315360000 THEN
        PERFORM board._invalid_argument('cron', format('is "%s"', left(cron, 40)),
            'After @every comes a span of 1 second to 3,650 days in weeks, days, hours, minutes and seconds, as in @every 10 minutes or @every 1h30m.');
    END IF;
    RETURN make_interval(secs => _seconds);
END;
$$;

COMMENT ON FUNCTION board._cron_every IS
    'Private: the span of an @every expression, in seconds; NULL for an expression of another '
    'kind; 22023 for a span that is none.';
