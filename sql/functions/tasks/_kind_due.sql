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
    _max_lapses int;
BEGIN
    -- One probe of tasks_ready_kind and one of tasks_due_kind; of all kinds, the indexes without. A
    -- lease whose lapse would be the last one brings agents nothing: it is passed over.
    IF kind IS NULL THEN
        IF (SELECT true FROM board.tasks AS t WHERE t.rank IS NOT NULL ORDER BY t.rank LIMIT 1) THEN
            RETURN at;
        END IF;
        SELECT t.due_at INTO _due_at
          FROM board.tasks AS t
         WHERE t.due_at IS NOT NULL
           AND board._status_at(
                   t.status, t.run_at, t.leased_until, t.escalated_at, t.lapse_count,
                   (SELECT k.max_lapses FROM board.kinds AS k WHERE k.name = t.kind), t.due_at
               ) = 'pending'
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
    SELECT k.max_lapses INTO _max_lapses FROM board.kinds AS k WHERE k.name = _kind_due.kind;
    SELECT t.due_at INTO _due_at
      FROM board.tasks AS t
     WHERE t.due_at IS NOT NULL
       AND (t.kind, t.due_at) >= (_kind_due.kind, '-infinity')
       AND (t.kind, t.due_at) <= (_kind_due.kind, 'infinity')
       AND board._status_at(t.status, t.run_at, t.leased_until, t.escalated_at, t.lapse_count,
                            _max_lapses, t.due_at) = 'pending'
     ORDER BY t.kind, t.due_at
     LIMIT 1;
    RETURN _due_at;
END;
$$;

COMMENT ON FUNCTION board._kind_due IS
    'Private: when, policy aside, a task of the kind (NULL: of any) can next be claimed: at, if one '
    'can be now; NULL if time alone brings none.';
