CREATE OR REPLACE FUNCTION board._claimable_kinds(
    kinds text[],
    at    timestamptz)
RETURNS TABLE (kind text, max_in_progress int, provider text, provider_account text)
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _row record;
BEGIN
    -- Reads policy only, never a task, but to find out which kinds have any: what is closed costs
    -- nothing however many tasks it has. Nothing is locked: a budget that is spent a moment later
    -- is found out by begin_call. Kinds in dry-run and shadow need no budget. Where tasks name
    -- accounts of their own, the kind is open and each task is judged by its account.
    IF (SELECT s.paused FROM board.settings AS s) THEN
        RETURN;
    END IF;
    IF kinds IS NULL THEN
        kinds := board._ready_kinds() || board._due_kinds();
    END IF;
    FOR _row IN
        SELECT DISTINCT n.name, k.max_in_progress, k.provider_account,
               CASE WHEN k.mode = 'live' THEN k.provider END AS provider
          FROM unnest(kinds) AS n (name)
          LEFT JOIN board.kinds AS k ON k.name = n.name
         WHERE k.paused IS NOT TRUE
    LOOP
        IF _row.provider IS NOT NULL THEN
            PERFORM FROM board.tasks AS t
              WHERE t.kind = _row.name AND t.account IS NOT NULL AND t.finished_at IS NULL
              LIMIT 1;
            IF NOT FOUND THEN
                CONTINUE WHEN
                    board._budget_free_at(_row.provider, _row.provider_account, 1, at) > at;
                _row.provider := NULL;
            ELSE
                CONTINUE WHEN board._provider_free_at(_row.provider, at) > at;
            END IF;
        END IF;
        kind := _row.name;
        max_in_progress := _row.max_in_progress;
        provider := _row.provider;
        provider_account := _row.provider_account;
        RETURN NEXT;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._claimable_kinds IS
    'Private: the kinds asked for (NULL: all that have an open task) whose tasks may be given out at '
    'that moment: not paused, and, if live, their provider neither paused, throttled nor out of '
    'budget. Where open tasks name accounts: the provider, and the account of those that do not; '
    'each task then depends on its account''s budget.';
