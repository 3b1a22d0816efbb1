CREATE OR REPLACE FUNCTION board._queue()
RETURNS TABLE (
    kind     text,
    priority int,
    id       uuid,
    state    text,
    attempt  int,
    strikes  int,
    age      interval)
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _kinds text[] := ARRAY[]::text[];
    _row record;
BEGIN
    -- Reads only: first which kinds are open, then their tasks.
    FOR _row IN SELECT o.kind, o.max_in_progress FROM board._claimable_kinds(NULL, _now) AS o LOOP
        IF _row.max_in_progress IS NULL
           OR board._has_free_slot(_row.kind, _row.max_in_progress, _now) THEN
            _kinds := _kinds || _row.kind;
        END IF;
    END LOOP;
    RETURN QUERY
        SELECT t.kind::text, t.priority, t.id,
               CASE t.status WHEN 'in_progress' THEN 'lapsed' WHEN 'scheduled' THEN 'due'
                   ELSE t.status END,
               t.claim_count + 1, t.failure_count, date_trunc('second', _now - t.created_at)
          FROM board.tasks AS t
          LEFT JOIN board.kinds AS k ON k.name = t.kind
         WHERE t.kind = ANY (_kinds)
           AND NOT t.paused
           AND t.status IN ('pending', 'scheduled', 'in_progress')
           AND board._status_at(t.status, t.run_at, t.leased_until, t.escalated_at, t.lapse_count,
                                k.max_lapses, _now) = 'pending'
         ORDER BY ~t.priority, t.created_at, t.id;
END;
$$;

COMMENT ON FUNCTION board._queue IS 'Private: the rows of board.queue.';
