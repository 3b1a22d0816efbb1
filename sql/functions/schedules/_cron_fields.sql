CREATE OR REPLACE FUNCTION board._cron_fields(cron text)
RETURNS text[]
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- The session's language must not say what lower case is: in Turkish FRI would become another.
    _text text := lower(btrim(cron, E' \t') COLLATE "C");
    _fields text[];
BEGIN
    IF _text IS NULL THEN
        PERFORM board._invalid_argument('cron', 'is NULL', 'Pass an expression, as in ''0 9 * * 1-5''.');
    ELSIF length(_text) > 1000 THEN
        PERFORM board._invalid_argument('cron', 'has more than 1,000 characters');
    END IF;
    _text := CASE _text
        WHEN '@hourly' THEN '0 * * * *'
        WHEN '@daily' THEN '0 0 * * *'
        WHEN '@midnight' THEN '0 0 * * *'
        WHEN '@weekly' THEN '0 0 * * 0'
        WHEN '@monthly' THEN '0 0 1 * *'
        WHEN '@yearly' THEN '0 0 1 1 *'
        WHEN '@annually' THEN '0 0 1 1 *'
        ELSE _text
    END;
    IF left(_text, 1) = '@' THEN
        PERFORM board._invalid_argument('cron', format('is "%s"', left(_text, 40)),
            'Names are @hourly, @daily, @weekly, @monthly, @yearly, and @every with a span, as in @every 10 minutes.');
    END IF;
    _fields := regexp_split_to_array(_text, E'[ \t]+');
    IF cardinality(_fields) <> 5 THEN
        PERFORM board._invalid_argument('cron', format('has %s fields', cardinality(_fields)),
            'Five fields: minute, hour, day of the month, month, day of the week; as in ''0 9 * * 1-5''.');
    END IF;
    RETURN _fields;
END;
$$;

COMMENT ON FUNCTION board._cron_fields IS
    'Private: the five fields of a cron expression in lower case, names such as @daily spelt out; '
    '22023.';
