CREATE OR REPLACE FUNCTION board._open_snapshot()
RETURNS pg_snapshot
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- The statement's snapshot, with the caller's own transaction counted as open: PostgreSQL
    -- leaves it out of the list, but what it wrote is not committed yet and must still be delivered
    -- later.
    SELECT (pg_snapshot_xmin(s.now)::text || ':' || pg_snapshot_xmax(s.now)::text || ':'
        || coalesce(
               (SELECT string_agg(x.xid::text, ',' ORDER BY x.xid)
                  FROM (SELECT pg_snapshot_xip(s.now)
                        UNION
                        SELECT pg_current_xact_id_if_assigned()) AS x (xid)
                 WHERE x.xid >= pg_snapshot_xmin(s.now) AND x.xid < pg_snapshot_xmax(s.now)),
                     ''))::pg_snapshot
      FROM (SELECT pg_current_snapshot()) AS s (now);
$$;

COMMENT ON FUNCTION board._open_snapshot IS
    'Private: the current snapshot with the caller''s own transaction among the open ones.';
