CREATE OR REPLACE FUNCTION board._promote_due(
    who   text,
    kinds text[])
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _batch CONSTANT int := 100;
    _promoted int := 0;
    _kind record;
    _from timestamptz;
    _started timestamptz;
    _ids uuid[];
BEGIN
    -- Per open kind one probe of tasks_due for what is due by now, oldest first, at most a batch.
    -- It locks what it finds, SKIP LOCKED, so never waits: a batch that another sweeper has in an
    -- open transaction does not hide what is due behind it. By the time a row is locked its holder
    -- may have sent a heartbeat or finished it; _expire_tasks looks again at the locked row.
    FOR _kind IN
        SELECT o.kind, o.max_in_progress FROM board._claimable_kinds(_promote_due.kinds, _now) AS o
    LOOP
        -- Where a kind has a cap, dead holders are looked for by their slots: behind a long row of
        -- due tasks the index would come to them late, and the kind would stand still.
        IF _kind.max_in_progress IS NOT NULL THEN
            _ids := ARRAY(
                SELECT s.task_id
                  FROM board.kind_slots AS s
                  JOIN board.tasks AS t ON t.id = s.task_id
                 WHERE s.kind = _kind.kind
                   AND t.status = 'in_progress'
                   AND t.leased_until <= _now);
            _promoted := _promoted + board._expire_tasks(who, _ids, _now);
            CONTINUE WHEN NOT board._has_free_slot(_kind.kind, _kind.max_in_progress);
        END IF;
        _from := board._due_from(_kind.kind, _now);
        _started := clock_timestamp();
        _ids := ARRAY(
            SELECT t.id
              FROM board.tasks AS t
             WHERE t.kind = _kind.kind
               AND t.status IN ('scheduled', 'in_progress')
               AND coalesce(t.leased_until, t.run_at) > _from
               AND coalesce(t.leased_until, t.run_at) <= _now
             ORDER BY coalesce(t.leased_until, t.run_at)
             LIMIT _batch
               FOR UPDATE SKIP LOCKED);
        IF cardinality(_ids) = 0 AND _from = '-infinity' THEN
            PERFORM board._remember_due(_kind.kind, _now, clock_timestamp() - _started);
        END IF;
        _promoted := _promoted + board._expire_tasks(who, _ids, _now);
    END LOOP;
    RETURN _promoted;
END;
$$;

COMMENT ON FUNCTION board._promote_due IS
    'Private: puts back what is due of the open kinds, at most 100 tasks of each; returns how '
    'many.';
