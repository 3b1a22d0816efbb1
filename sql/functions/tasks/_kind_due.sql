CREATE OR REPLACE FUNCTION board._kind_due(
    kind text,
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
    _due_at timestamptz;
BEGIN
    -- One probe of tasks_ready_kind and one of tasks_due_kind; of all kinds, the indexes without.
    IF kind IS NULL THEN
        IF (SELECT true FROM board.tasks AS t WHERE t.rank IS NOT NULL ORDER BY t.rank LIMIT 1) THEN
            RETURN at;
        END IF;
        SELECT t.due_at INTO _due_at
          FROM board.tasks AS t
         WHERE t.due_at IS NOT NULL
         ORDER BY t.due_at
         LIMIT 1;
        RETURN _due_at;
    END IF;
    IF (SELECT true
          FROM board.tasks AS t
         WHERE t.rank IS NOT NULL
           AND (t.kind, t.rank) >= (_kind_due.kind, -2147483648)
           AND (t.kind, t.rank) <= (_kind_due.kind, 2147483647)
         ORDER BY t.kind, t.rank, t.created_at, t.id
         LIMIT 1) THEN
        RETURN at;
    END IF;
    SELECT t.due_at INTO _due_at
      FROM board.tasks AS t
     WHERE t.due_at IS NOT NULL
       AND (t.kind, t.due_at) >= (_kind_due.kind, '-infinity')
       AND (t.kind, t.due_at) <= (_kind_due.kind, 'infinity')
     ORDER BY t.kind, t.due_at
     LIMIT 1;
    RETURN _due_at;
END;
$$;

COMMENT ON FUNCTION board._kind_due IS
    'Private: when, policy aside, a task of the kind (NULL: of any) can next be claimed: at, if one '
    'can be now; NULL if time alone brings none.';
