CREATE OR REPLACE FUNCTION board._ready_window(
    INOUT rank       int,
    INOUT created_at timestamptz,
    INOUT id         uuid,
    end_rank         int,
    end_at           timestamptz,
    end_id           uuid,
    size             bigint,
    closed           text[],
    OUT ids          uuid[],
    OUT kinds        text[],
    OUT is_end       boolean,
    OUT is_crowded   boolean)
RETURNS record
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
    _all record;
BEGIN
    -- Reads only: the head of tasks_ready behind the given place, size entries at most, however
    -- many of them are of closed kinds.
    SELECT count(*) AS found,
           coalesce(array_agg(w.id) FILTER (WHERE w.kind <> ALL (closed)), '{}') AS ids,
           coalesce(array_agg(w.kind) FILTER (WHERE w.kind <> ALL (closed)), '{}') AS kinds,
           (array_agg(w.rank))[size] AS rank,
           (array_agg(w.created_at))[size] AS created_at,
           (array_agg(w.id))[size] AS id
      INTO _all
      FROM (SELECT t.id, t.kind::text AS kind, t.rank, t.created_at
              FROM board.tasks AS t
             WHERE t.rank IS NOT NULL
               AND (t.rank, t.created_at, t.id)
                   > (_ready_window.rank, _ready_window.created_at, _ready_window.id)
               AND (t.rank, t.created_at, t.id) < (end_rank, end_at, end_id)
             ORDER BY t.rank, t.created_at, t.id
             LIMIT size) AS w;
    ids := _all.ids;
    kinds := _all.kinds;
    is_end := _all.found < size;
    is_crowded := cardinality(ids) < _all.found / 2;
    rank := _all.rank;
    created_at := _all.created_at;
    id := _all.id;
END;
$$;

COMMENT ON FUNCTION board._ready_window IS
    'Private: the ready tasks next behind a place in claim order and before another, of kinds that '
    'are not closed: ids and kinds in claim order; the place up to which all has been looked at; '
    'whether that was the end of the queue; and whether closed kinds were most of it.';
