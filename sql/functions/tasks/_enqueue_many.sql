CREATE OR REPLACE FUNCTION board._enqueue_many(
    who      text,
    kind     text,
    payloads jsonb[],
    priority int,
    run_at   timestamptz)
RETURNS SETOF uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _stamp jsonb := board._stamp(who, 'enqueued');
    _ids uuid[];
BEGIN
    -- Locks nothing that exists: only inserts.
    PERFORM board._check_name(_enqueue_many.kind, 'kind');
    PERFORM board._invalid_argument('payloads', 'is NULL or has a NULL in it',
        'Pass an array of jsonb values.')
      WHERE _enqueue_many.payloads IS NULL
         OR EXISTS (SELECT FROM unnest(_enqueue_many.payloads) AS p (payload)
             WHERE p.payload IS NULL);
    PERFORM board._invalid_argument('priority', 'is NULL', 'Pass a number; 0 is usual.')
      WHERE _enqueue_many.priority IS NULL;
    PERFORM board._check_time(_enqueue_many.run_at, 'run_at');

    -- One created_at for all, and ids a microsecond apart: claim order is the order of the array.
    _ids := ARRAY(
        SELECT board._uuid7(_now + n * interval '1 microsecond')
          FROM generate_series(0, cardinality(_enqueue_many.payloads) - 1) AS g (n)
         ORDER BY g.n);
    RETURN QUERY
        INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at, stamp)
        SELECT i.id, _enqueue_many.kind,
               CASE WHEN _enqueue_many.run_at > _now THEN 'scheduled' ELSE 'pending' END,
               _enqueue_many.priority, i.payload, _now, coalesce(_enqueue_many.run_at, _now), _stamp
          FROM unnest(_ids, _enqueue_many.payloads) WITH ORDINALITY AS i (id, payload, n)
         ORDER BY i.n
        RETURNING tasks.id;
END;
$$;

COMMENT ON FUNCTION board._enqueue_many IS
    'Private: body of enqueue_many for the checked name who (NULL: the database role).';
