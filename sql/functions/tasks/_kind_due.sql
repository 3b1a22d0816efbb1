CREATE OR REPLACE FUNCTION board._kind_due(
    kind text,
    cap  int,
    at   timestamptz)
RETURNS timestamptz
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
    _due timestamptz;
BEGIN
    IF cap IS NOT NULL AND NOT board._has_free_slot(_kind_due.kind, cap) THEN
        SELECT min(t.leased_until) INTO _due
          FROM board.kind_slots AS s
          JOIN board.tasks AS t ON t.id = s.task_id
         WHERE s.kind = _kind_due.kind
           AND t.status = 'in_progress'
           AND t.claim_count = s.attempt;
        RETURN _due;
    END IF;
    IF EXISTS (SELECT FROM board.tasks AS t
                WHERE t.kind = _kind_due.kind AND t.status = 'pending' AND NOT t.paused) THEN
        RETURN at;
    END IF;
    SELECT coalesce(t.leased_until, t.run_at) INTO _due
      FROM board.tasks AS t
     WHERE t.kind = _kind_due.kind
       AND t.status IN ('scheduled', 'in_progress')
       AND NOT t.paused
       AND (t.escalated_at IS NULL OR t.status = 'scheduled')
     ORDER BY coalesce(t.leased_until, t.run_at)
     LIMIT 1;
    RETURN _due;
END;
$$;

COMMENT ON FUNCTION board._kind_due IS
    'Private: when, budget aside, a task of the kind can next be claimed: at, if one can be '
    'now; NULL if time alone brings none.';
