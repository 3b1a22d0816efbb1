CREATE OR REPLACE FUNCTION board.next_due(kinds text[] DEFAULT NULL)
RETURNS timestamptz
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _kind record;
    _at timestamptz;
    _next timestamptz;
BEGIN
    -- Reads only: per kind that is not paused, its provider's budget, one probe of tasks_ready and
    -- one of tasks_due; of a kind at its cap, its slots.
    PERFORM board._check_kinds(next_due.kinds);
    -- Touches tasks first, as every verb without a name does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    IF (SELECT s.paused FROM board.settings AS s) THEN
        RETURN NULL;
    END IF;
    FOR _kind IN
        SELECT n.name, k.max_in_progress,
               board._budget_free_at(CASE WHEN k.mode = 'live' THEN k.provider END,
                                     k.provider_account, 1, _now) AS free_at
          FROM (SELECT DISTINCT s.name FROM board.kind_names AS s
                 WHERE next_due.kinds IS NULL OR s.name = ANY (next_due.kinds)) AS n
          LEFT JOIN board.kinds AS k ON k.name = n.name
         WHERE k.paused IS NOT TRUE
    LOOP
        CONTINUE WHEN _kind.free_at = 'infinity';
        _at := board._kind_due(_kind.name, _kind.max_in_progress, _now);
        CONTINUE WHEN _at IS NULL;
        _next := least(_next, greatest(_at, _kind.free_at));
        EXIT WHEN _next <= _now;
    END LOOP;
    RETURN greatest(_next, CASE WHEN _next IS NOT NULL THEN _now END);
END;
$$;

COMMENT ON FUNCTION board.next_due IS
$$Tells when a task of these kinds can next become claimable (a due time, the end of a lease, the
return of a budget, the end of a throttle): how long an idle agent may sleep if no notification
comes. Now, if one is claimable now; NULL, if nothing that is on the board will become so by time
alone.

kinds  text[], the kinds wanted; NULL: all

Errors: 22023 for an array with a NULL in it.
Example: SELECT board.next_due(ARRAY['send_invoice']) - clock_timestamp() AS sleep;$$;
