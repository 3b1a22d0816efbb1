CREATE OR REPLACE FUNCTION board._claimable_kinds(
    kinds text[],
    at    timestamptz)
RETURNS TABLE (kind text, max_in_progress int)
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Reads policy only, never a task: what is closed costs nothing however many tasks it has.
    -- Nothing is locked: a budget that is spent a moment later is found out by begin_call. Kinds in
    -- dry-run and shadow need no budget.
    IF (SELECT s.paused FROM board.settings AS s) THEN
        RETURN;
    END IF;
    RETURN QUERY
        SELECT n.name, k.max_in_progress
          FROM (SELECT DISTINCT s.name FROM board.kind_names AS s
                 WHERE _claimable_kinds.kinds IS NULL OR s.name = ANY (_claimable_kinds.kinds)) AS n
          LEFT JOIN board.kinds AS k ON k.name = n.name
         WHERE k.paused IS NOT TRUE
           AND (k.provider IS NULL
                OR k.mode <> 'live'
                OR board._budget_free_at(k.provider, k.provider_account, 1,
                    _claimable_kinds.at) <= _claimable_kinds.at);
END;
$$;

COMMENT ON FUNCTION board._claimable_kinds IS
    'Private: the kinds asked for (NULL: all) whose tasks may be given out at that moment: not '
    'paused, and, if live, their provider neither paused, throttled nor out of budget.';
