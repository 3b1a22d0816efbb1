CREATE OR REPLACE FUNCTION board._record_pruned_events()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE board.event_horizon AS h
       SET pruned_seq = greatest(h.pruned_seq, d.seq),
           pruned_xid = greatest(h.pruned_xid, d.xid)
      FROM (SELECT max(o.seq) AS seq, max(o.xid) AS xid FROM gone AS o) AS d
     WHERE d.seq IS NOT NULL;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._record_pruned_events IS
    'Private: trigger on task_events that notes in event_horizon how far events were dropped, '
    'whoever dropped them.';
