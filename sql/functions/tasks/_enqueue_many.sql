CREATE OR REPLACE FUNCTION board._enqueue_many(
    who      text,
    kind     text,
    payloads jsonb[],
    priority bigint,
    run_at   timestamptz)
RETURNS SETOF uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := greatest(clock_timestamp(), transaction_timestamp());
    _later boolean := coalesce(_enqueue_many.run_at > _now, false);
    _caller text := board._caller();
    _change jsonb := CASE WHEN who IS NOT NULL THEN jsonb_build_object('actor', who) END;
    _ids uuid[];
BEGIN
    -- Locks nothing that exists: only inserts, one statement for tasks and events (turn 0).
    PERFORM board._check_name(_enqueue_many.kind, 'kind');
    PERFORM board._check_int(_enqueue_many.priority, 'priority');
    PERFORM board._check_time(_enqueue_many.run_at, 'run_at');
    IF _enqueue_many.payloads IS NULL
       OR EXISTS (SELECT FROM unnest(_enqueue_many.payloads) AS p (payload)
                   WHERE p.payload IS NULL) THEN
        PERFORM board._invalid_argument('payloads', 'is NULL or has a NULL in it',
            'Pass an array of jsonb values.');
    END IF;
    PERFORM board._check_payload(p.payload, 'payloads')
       FROM unnest(_enqueue_many.payloads) AS p (payload);

    -- One created_at for all, and ids a microsecond apart: claim order is the order of the array.
    _ids := board._uuid7_series(_now, cardinality(_enqueue_many.payloads));
    RETURN QUERY
        WITH made AS (
            INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at, rank,
                                     due_at, turn, change)
            SELECT i.id, _enqueue_many.kind,
                   CASE WHEN _later THEN 'scheduled' ELSE 'pending' END, _enqueue_many.priority,
                   i.payload, _now, coalesce(_enqueue_many.run_at, _now),
                   CASE WHEN NOT _later THEN ~_enqueue_many.priority END,
                   CASE WHEN _later THEN _enqueue_many.run_at END, 0, _change
              FROM unnest(_ids, _enqueue_many.payloads) WITH ORDINALITY AS i (id, payload, n)
             ORDER BY i.n),
        logged AS (
            INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)
            SELECT i.id, _enqueue_many.kind, 'enqueued', coalesce(who, _caller), _caller, 0,
                   i.payload
              FROM unnest(_ids, _enqueue_many.payloads) WITH ORDINALITY AS i (id, payload, n)
             ORDER BY i.n)
        SELECT i.id FROM unnest(_ids) AS i (id);
    IF cardinality(_enqueue_many.payloads) > 0 THEN
        PERFORM board._remember_kind_name(_enqueue_many.kind);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._enqueue_many IS
    'Private: body of enqueue_many for the checked name who (NULL: the database role).';
