CREATE OR REPLACE FUNCTION board._enqueue(
    who            text,
    kind           text,
    payload        jsonb,
    priority       int,
    run_at         timestamptz,
    unique_key     text,
    correlation_id text)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _new uuid := board._uuid7();
    _stamp jsonb := board._stamp(who, 'enqueued');
    _id uuid;
BEGIN
    PERFORM board._check_name(_enqueue.kind, 'kind');
    PERFORM board._invalid_argument('payload', 'is NULL', 'Pass ''{}'' for no payload.')
      WHERE _enqueue.payload IS NULL;
    PERFORM board._invalid_argument('priority', 'is NULL', 'Pass a number; 0 is usual.')
      WHERE _enqueue.priority IS NULL;
    PERFORM board._check_time(_enqueue.run_at, 'run_at');
    PERFORM board._check_key(_enqueue.unique_key, 'unique_key');
    PERFORM board._check_key(_enqueue.correlation_id, 'correlation_id');

    -- Locks nothing that exists. Between the look and the insert another session may insert the
    -- same key (the insert waits for it, does nothing, and the next look finds it) or finish the
    -- task that the look would have found (the next insert goes through): so both are repeated
    -- until one of them gives an id. Each statement has a new snapshot; in REPEATABLE READ the
    -- conflict is a 40001 instead.
    LOOP
        IF _enqueue.unique_key IS NOT NULL THEN
            SELECT t.id INTO _id
              FROM board.tasks AS t
             WHERE t.kind = _enqueue.kind
               AND t.unique_key = _enqueue.unique_key
               AND t.status IN ('scheduled', 'pending', 'in_progress', 'escalated');
            IF FOUND THEN
                RETURN _id;
            END IF;
        END IF;
        INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at,
                                 unique_key, correlation_id, stamp)
        VALUES (_new, _enqueue.kind,
                CASE WHEN _enqueue.run_at > _now THEN 'scheduled' ELSE 'pending' END,
                _enqueue.priority, _enqueue.payload, _now, coalesce(_enqueue.run_at, _now),
                _enqueue.unique_key, _enqueue.correlation_id, _stamp)
            ON CONFLICT DO NOTHING
            RETURNING tasks.id INTO _id;
        IF FOUND THEN
            RETURN _id;
        END IF;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._enqueue IS
    'Private: body of enqueue for the checked name who (NULL: the database role).';
