CREATE OR REPLACE FUNCTION board._meet_needs(
    who    text,
    ids    uuid[],
    needed boolean DEFAULT true)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _change jsonb := board._change(who, 'unblocked');
    _waiting uuid[];
BEGIN
    -- Locks: the caller holds the needs, which are finished; then the tasks that wait for them, in
    -- id order. Nobody who holds one of those waits for a need: verbs on a blocked task take that
    -- row alone, and who takes several takes all or none (_tasks_for_update). A need that is being
    -- added at this moment has the need's row locked, so its task is seen here. Between the first
    -- statement and the second nobody can change the needs of these tasks: that takes their lock.
    -- So two needs completed at one moment are counted one after the other, and the second one
    -- unblocks. In a stricter level than READ COMMITTED the second is 40001, since the first one
    -- has changed the row.
    _waiting := ARRAY(
        SELECT t.id
          FROM board.tasks AS t
         WHERE t.id = ANY (ARRAY(
                   SELECT n.task_id
                     FROM board.task_needs AS n
                    WHERE n.needs_id = ANY (_meet_needs.ids)
                      AND n.met_at IS NULL
                      AND (_meet_needs.needed OR NOT n.needed)))
         ORDER BY t.id
           FOR NO KEY UPDATE);
    IF cardinality(_waiting) = 0 THEN
        RETURN;
    END IF;
    WITH met AS (
        UPDATE board.task_needs AS n
           SET met_at = _now
         WHERE n.needs_id = ANY (_meet_needs.ids)
           AND n.met_at IS NULL
           AND (_meet_needs.needed OR NOT n.needed)
           AND n.task_id = ANY (_waiting)
        RETURNING n.task_id
    ), counted AS (
        SELECT m.task_id AS id, count(*)::int AS needs FROM met AS m GROUP BY m.task_id
    )
    UPDATE board.tasks AS t
       SET unmet_needs = t.unmet_needs - c.needs,
           status = CASE WHEN t.status <> 'blocked' OR t.unmet_needs > c.needs THEN t.status
                         WHEN t.run_at > _now THEN 'scheduled'
                         ELSE 'pending' END,
           rank = CASE WHEN t.status = 'blocked' AND t.unmet_needs = c.needs
                            AND t.run_at <= _now AND NOT t.paused THEN ~t.priority ELSE t.rank END,
           due_at = CASE WHEN t.status = 'blocked' AND t.unmet_needs = c.needs
                              AND t.run_at > _now AND NOT t.paused THEN t.run_at ELSE t.due_at END,
           turn = t.turn
               + CASE WHEN t.status = 'blocked' AND t.unmet_needs = c.needs THEN 1 ELSE 2 END,
           change = CASE WHEN t.status = 'blocked' AND t.unmet_needs = c.needs THEN _change END
      FROM counted AS c
     WHERE t.id = c.id;
END;
$$;

COMMENT ON FUNCTION board._meet_needs IS
    'Private: tells the tasks that wait for these finished ones (needed false: only those that stand behind '
    'one in a sequence), and '
    'unblocks those whose last need it was; one statement''s work however many they are.';
