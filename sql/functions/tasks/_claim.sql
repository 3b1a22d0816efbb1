CREATE OR REPLACE FUNCTION board._claim(
    who       text,
    ttl       interval,
    kinds     text[],
    max_tasks bigint)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _ttl interval := coalesce(_claim.ttl, '2 minutes');
    _policy record;
    _walk record;
    _whole boolean;
    _left bigint := max_tasks;
    _rows int;
    _due record;
    _rounds int := 0;
BEGIN
    PERFORM board._check_writable('claim');
    PERFORM board._check_ttl(_ttl);
    PERFORM board._check_kinds(_claim.kinds);
    PERFORM board._check_count(_claim.max_tasks, 'max_tasks', 1000);
    SELECT s.paused, s.closed_kinds, s.special_kinds INTO _policy FROM board.settings AS s;
    IF _policy.paused THEN
        RETURN;
    END IF;

    -- Promotion makes ready all that time has made claimable, so that it competes by priority;
    -- picking takes the best of what is ready. They repeat while something was promoted: it may
    -- have gone to the human queue, or somebody else may have it. Where more is due than one claim
    -- puts back, picking ends before the best of what is left, and after some rounds that found
    -- nothing the claim ends: what it has put back stays so. Both lock tasks with SKIP LOCKED
    -- only, so claim never waits for a row. A session that begins where its last, long walk stood
    -- (_walk_from) and finds too little looks at everything once more. A hundred rounds are the end
    -- in any case. Before all, what schedules are due are fired, of whatever kind, at most 100
    -- tasks: these compete by priority too.
    PERFORM board._fire_due(100);
    LOOP
        _rounds := _rounds + 1;
        SELECT f.* INTO _walk FROM board._walk_from(_claim.kinds, clock_timestamp()) AS f;
        _whole := _walk.rank = -2147483648 AND _walk.due_after = '-infinity';
        SELECT d.* INTO _due
          FROM board._promote_due(who, _claim.kinds, _policy.closed_kinds, _policy.special_kinds,
                                  _walk.due_after, _left) AS d;
        RETURN QUERY
            SELECT * FROM board._pick(who, _ttl, _claim.kinds, _left, _policy.closed_kinds,
                _policy.special_kinds, _walk.rank, _walk.created_at, _walk.id,
                coalesce(_due.rank, 2147483647), coalesce(_due.created_at, 'infinity'),
                coalesce(_due.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
        GET DIAGNOSTICS _rows = ROW_COUNT;
        _left := _left - _rows;
        EXIT WHEN _left <= 0 OR _rounds = 100;
        EXIT WHEN _whole AND _due.ready = 0 AND _due.id IS NULL;
        EXIT WHEN _due.id IS NOT NULL AND _rounds >= 4;
        PERFORM board._forget_walk();
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._claim IS
    'Private: body of claim for the checked name who.';
