CREATE OR REPLACE FUNCTION board._queue()
RETURNS TABLE (
    kind     text,
    priority int,
    state    text,
    age      interval,
    payload  text,
    id       uuid)
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _kinds text[] := ARRAY[]::text[];
    _row record;
    _account text;
    _closed text[] := ARRAY[]::text[];
    _accounts text[] := ARRAY[]::text[];
    _standards text[] := ARRAY[]::text[];
BEGIN
    -- Reads only: first which kinds are open, and which accounts are not, then their tasks.
    FOR _row IN SELECT o.* FROM board._claimable_kinds(NULL, _now) AS o LOOP
        IF _row.max_in_progress IS NULL
           OR board._has_free_slot(_row.kind, _row.max_in_progress, _now) THEN
            _kinds := _kinds || _row.kind;
        END IF;
        CONTINUE WHEN _row.provider IS NULL;
        FOR _account IN
            SELECT DISTINCT coalesce(t.account, _row.provider_account)
              FROM board.tasks AS t
             WHERE t.kind = _row.kind AND t.finished_at IS NULL
        LOOP
            IF board._budget_free_at(_row.provider, _account, 1, _now) > _now THEN
                _closed := _closed || _row.kind;
                _accounts := _accounts || _account;
                _standards := _standards || _row.provider_account;
            END IF;
        END LOOP;
    END LOOP;
    RETURN QUERY
        SELECT t.kind::text, t.priority,
               CASE t.status WHEN 'in_progress' THEN 'lapsed' WHEN 'scheduled' THEN 'due'
                   ELSE t.status END,
               date_trunc('second', _now - t.created_at), board._summarize_json(t.payload, 20), t.id
          FROM board.tasks AS t
          LEFT JOIN board.kinds AS k ON k.name = t.kind
         WHERE t.kind = ANY (_kinds)
           AND NOT t.paused
           AND (t.status = 'pending' AND (t.rank IS NOT NULL OR t.due_at <= _now)
                OR t.status IN ('scheduled', 'in_progress')
                   AND board._status_at(t.status, t.run_at, t.leased_until, t.escalated_at,
                                        t.lapse_count, k.max_lapses, _now) = 'pending')
           AND NOT EXISTS (
               SELECT FROM unnest(_closed, _accounts, _standards) AS c (kind, account, standard)
                WHERE c.kind = t.kind AND c.account = coalesce(t.account, c.standard))
         ORDER BY ~t.priority, t.created_at, t.id;
END;
$$;

COMMENT ON FUNCTION board._queue IS 'Private: the rows of board.queue.';
