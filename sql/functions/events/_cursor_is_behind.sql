CREATE OR REPLACE FUNCTION board._cursor_is_behind(
    seen     pg_snapshot,
    page     pg_snapshot,
    last_seq bigint)
RETURNS boolean
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- A cursor from the future of this cluster, or one that may miss what was pruned: events with
    -- a seq beyond the last delivered one, of transactions that began after that cursor, or that
    -- were open for it and are over now. One that is still open has lost nothing to a prune: else
    -- a transaction that stays open (an orphaned prepared one) would mean resync upon resync.
    SELECT pg_snapshot_xmax(page) > pg_snapshot_xmax(pg_current_snapshot())
        OR pg_snapshot_xmax(seen) > pg_snapshot_xmax(page)
        OR EXISTS (
            SELECT FROM board.event_horizon AS h
             WHERE h.pruned_seq > coalesce(last_seq, 0)
               AND (h.pruned_xid >= pg_snapshot_xmax(seen)
                    OR EXISTS (
                        SELECT FROM pg_snapshot_xip(seen) AS o (xid)
                         WHERE o.xid <= h.pruned_xid
                           AND pg_visible_in_snapshot(o.xid, board._open_snapshot()))));
$$;

COMMENT ON FUNCTION board._cursor_is_behind IS
    'Private: whether a cursor cannot be continued for certain: it is ahead of this cluster, or '
    'older than what is kept.';
