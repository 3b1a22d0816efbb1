CREATE OR REPLACE FUNCTION board._ready_heads(
    names            text[],
    INOUT rank       int,
    INOUT created_at timestamptz,
    INOUT id         uuid,
    end_rank         int,
    end_at           timestamptz,
    end_id           uuid,
    wanted           bigint,
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
SET jit = off
AS $$
DECLARE
    _names text[] := ARRAY(
        SELECT DISTINCT n.name FROM unnest(names) AS n (name) WHERE n.name <> ALL (closed));
    -- Of one kind as many as are wanted and a few that others may have locked; of many kinds the
    -- wanted are spread.
    _each int := wanted / greatest(cardinality(_names), 1)
        + CASE WHEN cardinality(_names) > 16 THEN 2 ELSE 4 + least(wanted, 16) END;
    _all record;
BEGIN
    -- Reads only: of each kind the next few ready tasks behind the given place. The bound is the
    -- first place at which a kind may have more than was read of it: up to there the list is whole.
    WITH next AS MATERIALIZED (
        SELECT h.kind, h.rank, h.created_at, h.id, h.n
          FROM unnest(_names) AS k (name)
         CROSS JOIN LATERAL (
               SELECT t.kind, t.rank, t.created_at, t.id, row_number() OVER () AS n
                 FROM (SELECT r.kind, r.rank, r.created_at, r.id
                         FROM board.tasks AS r
                        WHERE r.rank IS NOT NULL
                          AND (r.kind, r.rank, r.created_at, r.id)
                              > (k.name, _ready_heads.rank, _ready_heads.created_at,
                                 _ready_heads.id)
                          AND (r.kind, r.rank, r.created_at, r.id)
                              < (k.name, end_rank, end_at, end_id)
                        ORDER BY r.kind, r.rank, r.created_at, r.id
                        LIMIT _each) AS t) AS h),
    bound AS MATERIALIZED (
        SELECT n.rank, n.created_at, n.id
          FROM next AS n
         WHERE n.n = _each
         ORDER BY n.rank, n.created_at, n.id
         LIMIT 1)
    SELECT array_agg(n.id ORDER BY n.rank, n.created_at, n.id) AS ids,
           array_agg(n.kind::text ORDER BY n.rank, n.created_at, n.id) AS kinds,
           (SELECT b.rank FROM bound AS b) AS rank,
           (SELECT b.created_at FROM bound AS b) AS created_at,
           (SELECT b.id FROM bound AS b) AS id
      INTO _all
      FROM next AS n
     WHERE NOT EXISTS (SELECT FROM bound)
        OR (n.rank, n.created_at, n.id) <= (SELECT b.rank, b.created_at, b.id FROM bound AS b);
    ids := coalesce(_all.ids, '{}');
    kinds := coalesce(_all.kinds, '{}');
    is_end := _all.id IS NULL;
    is_crowded := false;
    rank := _all.rank;
    created_at := _all.created_at;
    id := _all.id;
END;
$$;

COMMENT ON FUNCTION board._ready_heads IS
    'Private: the ready tasks of these kinds next behind a place in claim order, but for the closed '
    'ones; answers as _ready_window.';
