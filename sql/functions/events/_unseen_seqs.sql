CREATE OR REPLACE FUNCTION board._unseen_seqs(
    seen   pg_snapshot,
    page   pg_snapshot,
    last   bigint,
    wanted int)
RETURNS bigint[]
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _near CONSTANT int := 2 * wanted + 1000;
    _open xid8[] := ARRAY(SELECT o.xid FROM pg_snapshot_xip(seen) AS o (xid)
                           WHERE pg_visible_in_snapshot(o.xid, page));
    _last bigint := coalesce(last, 0);
    _seqs bigint[];
    _found int;
BEGIN
    -- What was not visible then: the transactions that were open then and are over now, and those
    -- that began later. Both are ranges of task_events_xid, so a reader near the tip touches only
    -- what is new to it, however long some other transaction has been open and whatever it wrote.
    SELECT count(*), array_agg(e.seq ORDER BY e.seq)
               FILTER (WHERE pg_visible_in_snapshot(e.xid, page))
      INTO _found, _seqs
      FROM ((SELECT o.xid, o.seq FROM board.task_events AS o
              WHERE o.xid = ANY (_open) AND o.seq > _last
              LIMIT _near)
            UNION ALL
            (SELECT l.xid, l.seq FROM board.task_events AS l
              WHERE l.xid >= pg_snapshot_xmax(seen) AND l.xid < pg_snapshot_xmax(page)
                AND l.seq > _last
              ORDER BY l.xid, l.seq
              LIMIT _near)) AS e;
    IF _found < _near THEN
        RETURN coalesce(_seqs[:wanted], '{}');
    END IF;

    -- Far behind: walk the log itself in seq order from where the last page ended, or from the
    -- first event that was not seen (looked for once per pair of snapshots).
    IF last IS NULL THEN
        SELECT min(e.seq) - 1 INTO last
          FROM ((SELECT min(o.seq) FROM board.task_events AS o WHERE o.xid = ANY (_open))
                UNION ALL
                (SELECT min(l.seq) FROM board.task_events AS l
                  WHERE l.xid >= pg_snapshot_xmax(seen) AND l.xid < pg_snapshot_xmax(page)))
                      AS e (seq);
    END IF;
    RETURN ARRAY(
        SELECT e.seq
          FROM board.task_events AS e
         WHERE e.seq > last
           AND pg_visible_in_snapshot(e.xid, page)
           AND NOT pg_visible_in_snapshot(e.xid, seen)
         ORDER BY e.seq
         LIMIT wanted);
END;
$$;

COMMENT ON FUNCTION board._unseen_seqs IS
    'Private: the first seqs beyond last, in order, of events visible in page and not in seen.';
