CREATE OR REPLACE FUNCTION board._claim(
    who       text,
    ttl       interval,
    kinds     text[],
    max_tasks int)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _taken int := 0;
    _rows int;
    _promoted int;
    _whole boolean;
    _rounds int := 0;
BEGIN
    PERFORM board._check_ttl(_claim.ttl);
    PERFORM board._check_kinds(_claim.kinds);
    PERFORM board._check_count(_claim.max_tasks, 'max_tasks', 1000);

    -- Promotion takes back what time has made claimable, a bounded batch of each kind; picking
    -- takes the best of what is ready. They repeat until there is enough, or nothing is due any
    -- more: what was promoted may have been picked by somebody else meanwhile, or gone to the human
    -- queue. Both lock tasks with SKIP LOCKED only, so claim never waits for a row. A session that
    -- went on from a remembered place (_walk_from, _due_from) and found too little has forgotten it
    -- in _pick, and looks at everything once more. A hundred rounds are the end in any case: what
    -- is promoted cannot be picked while another open transaction has the kind's free slots locked.
    LOOP
        _rounds := _rounds + 1;
        _whole := coalesce(current_setting('board.walk', true), '') = '';
        _promoted := board._promote_due(who, _claim.kinds);
        RETURN QUERY
            SELECT * FROM board._pick(who, _claim.ttl, _claim.kinds, _claim.max_tasks - _taken);
        GET DIAGNOSTICS _rows = ROW_COUNT;
        _taken := _taken + _rows;
        EXIT WHEN _taken >= _claim.max_tasks OR (_promoted = 0 AND _whole) OR _rounds = 100;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._claim IS
    'Private: body of claim for the checked name who.';
