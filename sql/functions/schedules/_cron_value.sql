CREATE OR REPLACE FUNCTION board._cron_value(
    value text,
    part  text,
    low   int,
    high  int,
    names text[])
RETURNS int
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _number int;
BEGIN
    -- Names count from low on: jan is 1, sun is 0.
    IF value ~ '^[0-9]' THEN
        _number := value::int;
    ELSE
        _number := array_position(names, value) + low - 1;
    END IF;
    IF value IS NOT NULL AND (_number BETWEEN low AND high) IS NOT TRUE THEN
        PERFORM board._invalid_argument('cron',
            format('has "%s" in its %s field, which goes from %s to %s', value, part, low, high),
            CASE WHEN names <> '{}' THEN
                format('Names are %s.', array_to_string(names, ', ')) END);
    END IF;
    RETURN _number;
END;
$$;

COMMENT ON FUNCTION board._cron_value IS
    'Private: the number of a value in a field of a cron expression; NULL for none; 22023 for '
    'what is no value of the field.';
