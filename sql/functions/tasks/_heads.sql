CREATE OR REPLACE FUNCTION board._heads(kinds text[])
RETURNS TABLE (
    kind            text,
    max_in_progress int,
    next_rank       int,
    next_created_at timestamptz,
    next_id         uuid)
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
BEGIN
    -- One probe of tasks_ready per open kind, from where the walk of this session stands (usually
    -- from the very beginning: see _walk_from). Locks nothing: _claim_kind looks again.
    RETURN QUERY
        SELECT o.kind, o.max_in_progress,
               lead(h.rank, 1, 2147483647) OVER w,
               lead(h.created_at, 1, 'infinity') OVER w,
               lead(h.id, 1, 'ffffffff-ffff-ffff-ffff-ffffffffffff') OVER w
          FROM board._claimable_kinds(_heads.kinds, _now) AS o
         CROSS JOIN LATERAL board._walk_from(o.kind, _now) AS f
         CROSS JOIN LATERAL (
               SELECT ~t.priority AS rank, t.created_at, t.id
                 FROM board.tasks AS t
                WHERE t.kind = o.kind
                  AND t.status = 'pending'
                  AND NOT t.paused
                  AND (~t.priority, t.created_at, t.id) >= (f.rank, f.created_at, f.id)
                ORDER BY ~t.priority, t.created_at, t.id
                LIMIT 1) AS h
         WHERE o.max_in_progress IS NULL OR board._has_free_slot(o.kind, o.max_in_progress)
        WINDOW w AS (ORDER BY h.rank, h.created_at, h.id)
         ORDER BY h.rank, h.created_at, h.id;
END;
$$;

COMMENT ON FUNCTION board._heads IS
    'Private: the open kinds that have a ready task and a slot, the one with the best task '
    'first, each with the place in claim order where the next one begins.';
