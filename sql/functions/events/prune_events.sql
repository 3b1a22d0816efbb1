CREATE OR REPLACE FUNCTION board.prune_events(max_events bigint DEFAULT 10000)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    _retain interval := (SELECT s.retain_events FROM board.settings AS s);
    _before timestamptz;
    _from bigint;
    _end bigint;
    _step bigint := prune_events.max_events;
    _last bigint;
    _found boolean;
    _pruned bigint;
BEGIN
    -- Drops a prefix of the log in seq order: it stops at the first event that is too young. The
    -- trigger notes how far it went in event_horizon, whose row lock makes a second prune wait.
    PERFORM board._check_count(prune_events.max_events, 'max_events', 1000000);
    IF _retain IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = '55000',
            MESSAGE = 'events are kept for ever',
            DETAIL = 'The setting retain_events is NULL.',
            HINT = 'Allow it first: SELECT board.configure(retain_events => ''1 year'').';
    END IF;
    PERFORM FROM board.event_horizon AS h FOR UPDATE;
    _before := clock_timestamp() - _retain;
    _from := (SELECT h.pruned_seq FROM board.event_horizon AS h);
    _end := (SELECT s.last_value FROM board.task_events_seq_seq AS s);
    -- In ranges of seq, which the BRIN index finds, each twice as long as the one before: seq has
    -- gaps, and the horizon of a restored log begins at 0.
    WHILE _last IS NULL AND _from < _end LOOP
        SELECT max(p.seq) FILTER (WHERE p.old), max(p.seq) IS NOT NULL INTO _last, _found
          FROM (SELECT e.seq, bool_and(e.created_at < _before) OVER (ORDER BY e.seq) AS old
                  FROM (SELECT o.seq, o.created_at FROM board.task_events AS o
                         WHERE o.seq > _from AND o.seq <= _from + _step
                         ORDER BY o.seq LIMIT prune_events.max_events) AS e) AS p;
        EXIT WHEN _found;
        _from := _from + _step;
        _step := 2 * _step;
    END LOOP;
    DELETE FROM board.task_events AS e WHERE e.seq <= _last;
    GET DIAGNOSTICS _pruned = ROW_COUNT;
    IF _pruned > 0 THEN
        PERFORM board._audit(NULL, 'prune_events', 'board',
            jsonb_build_object('events', _pruned, 'up_to_seq', _last));
    END IF;
    RETURN _pruned;
END;
$$;

COMMENT ON FUNCTION board.prune_events IS
$$Drops events older than settings.retain_events, oldest first, and returns how many. Feed cursors
from before what was dropped get one row of type resync. For administrators.

max_events  bigint, 1 to 1,000,000, most to drop in this call

Errors: 55000 when retain_events is not set (events are kept for ever), 22023 for an argument out of
range.
Example: SELECT board.prune_events();$$;
