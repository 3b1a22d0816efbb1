CREATE OR REPLACE FUNCTION board._remember_walk(
    kind    text,
    last    uuid,
    until   bigint,
    started timestamptz,
    ended   timestamptz)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _key text := 'walk' || hashtextextended(_remember_walk.kind, 0) || ':';
    _memory text;
    _entry text;
BEGIN
    -- Dead entries pile up at the head of tasks_ready while vacuum lags or an old snapshot is held,
    -- and every claim would walk all of them. Only when a walk was long by the clock and there are
    -- many dead rows is the place remembered, and for a second at most (until is not moved on).
    IF until IS NULL THEN
        IF ended - started < interval '2 milliseconds'
           OR pg_stat_get_dead_tuples('board.tasks'::regclass) < 5000 THEN
            RETURN;
        END IF;
        until := (extract(epoch FROM ended) * 1000000)::bigint + 1000000;
    END IF;
    SELECT format('%s%s:%s:%s:%s;', _key, until, ~t.priority,
                  (extract(epoch FROM t.created_at) * 1000000)::bigint, t.id)
      INTO _entry
      FROM board.tasks AS t
     WHERE t.id = last
       AND t.priority BETWEEN -99999999 AND 99999999
       AND t.created_at BETWEEN '1971-01-01' AND '2200-01-01';
    _memory := coalesce(current_setting('board.walk', true), '');
    IF length(_memory) > 4000 THEN
        _memory := '';
    END IF;
    _memory := regexp_replace(_memory, _key || '[^;]*;', '')
        || coalesce(_entry, '');
    PERFORM set_config('board.walk', _memory, false);
END;
$$;

COMMENT ON FUNCTION board._remember_walk IS
    'Private: notes in this session where the walk of the kind''s ready tasks stood, if it was '
    'an expensive one.';
