CREATE OR REPLACE FUNCTION board._remember_due(
    kind text,
    at   timestamptz,
    cost interval)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _key text := 'due' || hashtextextended(_remember_due.kind, 0) || ':';
    _memory text;
BEGIN
    -- Every lease that ended well leaves a dead entry in tasks_due at the moment when it would have
    -- lapsed. While vacuum lags or an old snapshot is held, each claim would walk all that are
    -- past. Only when that was long by the clock, with many dead rows, and found nothing, is it
    -- noted.
    IF cost < interval '2 milliseconds'
       OR pg_stat_get_dead_tuples('board.tasks'::regclass) < 5000 THEN
        RETURN;
    END IF;
    _memory := coalesce(current_setting('board.walk', true), '');
    IF length(_memory) > 4000 THEN
        _memory := '';
    END IF;
    PERFORM set_config('board.walk', regexp_replace(_memory, _key || '[^;]*;', '') || _key
        || (extract(epoch FROM at) * 1000000)::bigint || ';', false);
END;
$$;

COMMENT ON FUNCTION board._remember_due IS
    'Private: notes in this session that nothing of the kind was due at that moment, if the look '
    'was an expensive one.';
