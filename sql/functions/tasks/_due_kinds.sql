CREATE OR REPLACE FUNCTION board._due_kinds()
RETURNS text[]
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
    _kinds text[] := ARRAY[]::text[];
    _kind text := '';
BEGIN
    -- One probe of tasks_due_kind per kind: each begins behind the last kind found.
    LOOP
        SELECT t.kind INTO _kind
          FROM board.tasks AS t
         WHERE t.due_at IS NOT NULL AND t.kind > _kind
         ORDER BY t.kind, t.due_at
         LIMIT 1;
        EXIT WHEN NOT FOUND;
        _kinds := _kinds || _kind;
    END LOOP;
    RETURN _kinds;
END;
$$;

COMMENT ON FUNCTION board._due_kinds IS
    'Private: the kinds that have a task which time alone will make claimable, by name.';
