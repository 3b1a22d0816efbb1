CREATE OR REPLACE FUNCTION board._is_behind(
    seen     pg_snapshot,
    page     pg_snapshot,
    last_seq bigint)
RETURNS boolean
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- A cursor from the future of this cluster, or one that may miss what was pruned: events with
    -- a seq beyond the last delivered one, of transactions that were not all over for that cursor.
    SELECT pg_snapshot_xmax(page) > pg_snapshot_xmax(pg_current_snapshot())
        OR pg_snapshot_xmax(seen) > pg_snapshot_xmax(page)
        OR EXISTS (
            SELECT FROM board.event_horizon AS h
             WHERE h.pruned_seq > coalesce(last_seq, 0)
               AND h.pruned_xid >= pg_snapshot_xmin(seen));
$$;

COMMENT ON FUNCTION board._is_behind(pg_snapshot, pg_snapshot, bigint) IS
    'Private: whether a cursor cannot be continued for certain: it is ahead of this cluster, or '
    'older than what is kept.';
