CREATE OR REPLACE FUNCTION board._due_from(
    kind text,
    at   timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _memory text := current_setting('board.walk', true);
    _key text;
    _place int;
    _swept timestamptz;
BEGIN
    -- As in _walk_from: matched against a pattern, and believed for a second after it was noted.
    IF _memory <> '' THEN
        _key := 'due' || hashtextextended(_due_from.kind, 0) || ':';
        _place := strpos(_memory, _key);
        IF _place > 0 THEN
            _swept := 'epoch'::timestamptz + interval '1 microsecond' * substring(
                substr(_memory, _place + length(_key), 20) FROM '^(\d{1,16});')::bigint;
        END IF;
        IF _swept <= at AND _swept > at - interval '1 second' THEN
            RETURN _swept;
        END IF;
    END IF;
    RETURN '-infinity'::timestamptz;
END;
$$;

COMMENT ON FUNCTION board._due_from IS
    'Private: from when on this session has to look for due tasks of the kind: from the beginning, '
    'or for a second after an expensive look that found nothing, from the moment of that look.';
