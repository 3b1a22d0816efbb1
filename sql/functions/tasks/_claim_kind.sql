CREATE OR REPLACE FUNCTION board._claim_kind(
    who              text,
    ttl              interval,
    kind             text,
    cap              int,
    wanted           int,
    until_rank       int,
    until_created_at timestamptz,
    until_id         uuid)
RETURNS SETOF board.tasks
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
    _started timestamptz := clock_timestamp();
    _now timestamptz;
    _slots int[];
    _from record;
    _ids uuid[];
BEGIN
    -- Locks: free slots of a kind with a cap (SKIP LOCKED), then ready tasks in claim order (SKIP
    -- LOCKED). A row that changed since the snapshot is checked again by PostgreSQL before it is
    -- locked; once locked it is ours until commit.
    IF cap IS NOT NULL THEN
        _slots := board._free_slots(_claim_kind.kind, cap, wanted);
        wanted := cardinality(_slots);
        IF wanted = 0 THEN
            RETURN;
        END IF;
        _started := clock_timestamp();
    END IF;
    SELECT f.* INTO _from FROM board._walk_from(_claim_kind.kind, _started) AS f;
    _ids := ARRAY(
        SELECT t.id
          FROM board.tasks AS t
         WHERE t.kind = _claim_kind.kind
           AND t.status = 'pending'
           AND NOT t.paused
           AND (~t.priority, t.created_at, t.id) >= (_from.rank, _from.created_at, _from.id)
           AND (~t.priority, t.created_at, t.id) <= (until_rank, until_created_at, until_id)
         ORDER BY ~t.priority, t.created_at, t.id
         LIMIT wanted
           FOR UPDATE SKIP LOCKED);
    _now := clock_timestamp();
    IF cardinality(_ids) = 0 THEN
        RETURN;
    END IF;

    RETURN QUERY SELECT * FROM board._lease(who, _ids, _claim_kind.ttl);
    IF cap IS NOT NULL THEN
        PERFORM board._fill_slots(_claim_kind.kind, _slots, _ids);
    END IF;
    PERFORM board._remember_walk(
        _claim_kind.kind, _ids[cardinality(_ids)], _from.until, _started, _now);
END;
$$;

COMMENT ON FUNCTION board._claim_kind IS
    'Private: claims up to wanted ready tasks of one open kind, none beyond the given place in '
    'claim order.';
