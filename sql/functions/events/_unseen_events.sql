CREATE OR REPLACE FUNCTION board._unseen_events(
    seen      pg_snapshot,
    page      pg_snapshot,
    last      bigint,
    wanted    bigint,
    OUT xids  xid8[],
    OUT seqs  bigint[])
RETURNS record
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _near CONSTANT bigint := 2 * wanted + 1000;
    _open xid8[] := ARRAY(SELECT o.xid FROM pg_snapshot_xip(seen) AS o (xid)
                           WHERE pg_visible_in_snapshot(o.xid, page));
    _last bigint := coalesce(last, 0);
    _found bigint;
    _end bigint;
    _more record;
BEGIN
    -- What was not visible then: the transactions that were open then and are over now, and those
    -- that began later. Both are ranges of task_events_xid, so a reader near the tip touches only
    -- what is new to it, however long some other transaction has been open and whatever it wrote.
    SELECT count(*),
           array_agg(e.xid ORDER BY e.seq) FILTER (WHERE pg_visible_in_snapshot(e.xid, page)),
           array_agg(e.seq ORDER BY e.seq) FILTER (WHERE pg_visible_in_snapshot(e.xid, page))
      INTO _found, xids, seqs
      FROM ((SELECT n.xid, n.seq
               FROM unnest(_open) AS u (xid)
              CROSS JOIN LATERAL (
                    SELECT o.xid, o.seq
                      FROM board.task_events AS o
                     WHERE (o.xid, o.seq) > (u.xid, _last)
                       AND (o.xid, o.seq) <= (u.xid, 9223372036854775807)
                     ORDER BY o.xid, o.seq
                     LIMIT _near) AS n
              LIMIT _near)
            UNION ALL
            (SELECT l.xid, l.seq FROM board.task_events AS l
              WHERE l.xid >= pg_snapshot_xmax(seen) AND l.xid < pg_snapshot_xmax(page)
                AND l.seq > _last
              ORDER BY l.xid, l.seq
              LIMIT _near)) AS e;
    IF _found < _near THEN
        xids := coalesce(xids[:wanted], '{}');
        seqs := coalesce(seqs[:wanted], '{}');
        RETURN;
    END IF;

    -- Far behind: walk the log itself in seq order from where the last page ended, or from the
    -- first event that was not seen (looked for once per pair of snapshots), in ranges of seq that
    -- the BRIN index finds, each twice as long as the one before: seq has gaps.
    IF last IS NULL THEN
        SELECT min(e.seq) - 1 INTO _last
          FROM ((SELECT min(o.seq) FROM board.task_events AS o WHERE o.xid = ANY (_open))
                UNION ALL
                (SELECT min(l.seq) FROM board.task_events AS l
                  WHERE l.xid >= pg_snapshot_xmax(seen) AND l.xid < pg_snapshot_xmax(page)))
                      AS e (seq);
    END IF;
    xids := '{}';
    seqs := '{}';
    _end := (SELECT s.last_value FROM board.task_events_seq_seq AS s);
    _found := 2 * wanted;
    WHILE _last < _end AND cardinality(seqs) < wanted LOOP
        SELECT coalesce(array_agg(w.xid ORDER BY w.seq), '{}') AS xids,
               coalesce(array_agg(w.seq ORDER BY w.seq), '{}') AS seqs
          INTO _more
          FROM (SELECT e.xid, e.seq
                  FROM board.task_events AS e
                 WHERE e.seq > _last AND e.seq <= _last + _found
                   AND pg_visible_in_snapshot(e.xid, page)
                   AND NOT pg_visible_in_snapshot(e.xid, seen)
                 ORDER BY e.seq
                 LIMIT wanted - cardinality(seqs)) AS w;
        xids := xids || _more.xids;
        seqs := seqs || _more.seqs;
        _last := _last + _found;
        _found := 2 * _found;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._unseen_events IS
    'Private: the first events beyond the seq last, in order of seq, that are visible in page and '
    'not in seen: their xids and seqs.';
