CREATE OR REPLACE FUNCTION board._postpone(
    ids   uuid[],
    until timestamptz)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
BEGIN
    -- One statement. It locks those of these tasks that are ready, or would be as soon as a claim
    -- looks, SKIP LOCKED: one that somebody else has locked is being claimed or changed. Their
    -- status stays, only their place moves: time alone will make them ready again, so it is no
    -- event (turn 2). rank stands in a CASE, so that the rows are found by primary key alone.
    UPDATE board.tasks AS t
       SET rank = NULL,
           due_at = _postpone.until,
           turn = t.turn + 2
     WHERE t.id = ANY (ARRAY(
           SELECT r.id
             FROM board.tasks AS r
            WHERE r.id = ANY (_postpone.ids)
              AND CASE WHEN r.rank IS NULL THEN r.status = 'pending' AND r.due_at IS NOT NULL
                       ELSE true END
            ORDER BY r.id
              FOR UPDATE SKIP LOCKED));
END;
$$;

COMMENT ON FUNCTION board._postpone IS
    'Private: takes these tasks, as far as they are ready and nobody else has locked them, out of '
    'the way until that moment; they stay pending.';
