CREATE OR REPLACE FUNCTION board._recall_postponed(provider text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _kinds text[];
BEGIN
    -- Locks tasks, SKIP LOCKED, and so may come after any other lock. Budgets may have come back
    -- before their time: what waits for them is ready again, and a claim looks anew. What does not
    -- fit into one batch comes back at its time.
    _kinds := ARRAY(
        SELECT k.name FROM board.kinds AS k WHERE k.provider = _recall_postponed.provider);
    UPDATE board.tasks AS t
       SET rank = ~t.priority,
           due_at = NULL,
           turn = t.turn + 2
     WHERE t.id = ANY (ARRAY(
           SELECT r.id
             FROM board.tasks AS r
            WHERE r.kind = ANY (_kinds)
              AND r.due_at > _now
              AND r.status = 'pending'
              AND NOT r.paused
            LIMIT 10000
              FOR UPDATE SKIP LOCKED));
END;
$$;

COMMENT ON FUNCTION board._recall_postponed IS
    'Private: makes ready what was postponed until the budget of this provider comes back.';
