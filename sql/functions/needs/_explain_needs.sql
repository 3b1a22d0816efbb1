CREATE OR REPLACE FUNCTION board._explain_needs(id uuid)
RETURNS text
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _needs int;
    _unmet int;
    _first text;
BEGIN
    -- Locks nothing. The need that most wants a person's attention is named: cancelled, escalated,
    -- then whatever is oldest.
    SELECT count(*), count(*) FILTER (WHERE n.met_at IS NULL)
      INTO _needs, _unmet
      FROM board.task_needs AS n
     WHERE n.task_id = _explain_needs.id;
    SELECT format('%s%s is %s%s', CASE WHEN n.needed THEN '' ELSE 'the one before it, ' END,
                  n.needs_id, coalesce(s.status, 'gone'),
                  CASE s.status WHEN 'escalated' THEN format(' since %s',
                           coalesce(t.escalated_at, t.leased_until))
                       WHEN 'in_progress' THEN format(' with "%s"', t.leased_by) END)
      INTO _first
      FROM board.task_needs AS n
      LEFT JOIN board.tasks AS t ON t.id = n.needs_id
      LEFT JOIN board.kinds AS k ON k.name = t.kind
     CROSS JOIN LATERAL (
           SELECT board._status_at(t.status, t.run_at, t.leased_until, t.escalated_at,
                                   t.lapse_count, k.max_lapses, _now)) AS s (status)
     WHERE n.task_id = _explain_needs.id
       AND n.met_at IS NULL
     ORDER BY s.status IS DISTINCT FROM 'cancelled', s.status IS DISTINCT FROM 'escalated',
              n.needs_id
     LIMIT 1;
    RETURN format('waits for %s of %s: %s', _unmet, _needs, _first);
END;
$$;

COMMENT ON FUNCTION board._explain_needs IS
    'Private: in words, what a blocked task waits for.';
