CREATE OR REPLACE FUNCTION board._enqueue(
    who            text,
    kind           text,
    payload        jsonb,
    priority       bigint,
    run_at         timestamptz,
    unique_key     text,
    correlation_id text,
    needs          uuid[],
    sequence_key   text,
    account        text,
    unique_for     interval DEFAULT NULL,
    on_taken       text     DEFAULT 'keep')
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := greatest(clock_timestamp(), transaction_timestamp());
    _new uuid := board._uuid7(_now);
    _later boolean := coalesce(_enqueue.run_at > _now, false);
    _change jsonb := CASE WHEN who IS NOT NULL THEN jsonb_build_object('actor', who) END;
    _id uuid;
BEGIN
    PERFORM board._check_name(_enqueue.kind, 'kind');
    PERFORM board._check_int(_enqueue.priority, 'priority');
    IF _enqueue.payload IS NULL THEN
        PERFORM board._invalid_argument('payload', 'is NULL', 'Pass ''{}'' for no payload.');
    END IF;
    PERFORM board._check_payload(_enqueue.payload, 'payload');
    IF _enqueue.run_at IS NOT NULL THEN
        PERFORM board._check_time(_enqueue.run_at, 'run_at');
    END IF;
    IF _enqueue.correlation_id IS NOT NULL THEN
        PERFORM board._check_key(_enqueue.correlation_id, 'correlation_id');
    END IF;
    PERFORM board._check_name(_enqueue.account, 'account') WHERE _enqueue.account <> '';
    IF _enqueue.unique_for IS NOT NULL OR _enqueue.on_taken IS DISTINCT FROM 'keep' THEN
        PERFORM board._check_on_taken(
            _enqueue.unique_key, _enqueue.unique_for, _enqueue.on_taken,
            _enqueue.sequence_key IS NULL AND coalesce(cardinality(_enqueue.needs), 0) = 0);
        PERFORM board._check_key(_enqueue.unique_key, 'unique_key');
        RETURN board._enqueue_once(
            who, _enqueue.kind, _enqueue.payload, _enqueue.priority, _enqueue.run_at,
            _enqueue.unique_key, _enqueue.correlation_id, _enqueue.needs, _enqueue.sequence_key,
            _enqueue.account, _enqueue.unique_for, _enqueue.on_taken);
    ELSIF _enqueue.sequence_key IS NOT NULL OR cardinality(_enqueue.needs) > 0 THEN
        RETURN board._enqueue_waiting(
            _enqueue.kind, _enqueue.payload, _enqueue.priority::int, _enqueue.run_at,
            _enqueue.unique_key, _enqueue.correlation_id, _enqueue.needs, _enqueue.sequence_key,
            _enqueue.account, _change);
    ELSIF _enqueue.unique_key IS NULL THEN
        INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at,
                                 correlation_id, account, rank, due_at, change)
        VALUES (_new, _enqueue.kind, CASE WHEN _later THEN 'scheduled' ELSE 'pending' END,
                _enqueue.priority, _enqueue.payload, _now, coalesce(_enqueue.run_at, _now),
                _enqueue.correlation_id, _enqueue.account,
                CASE WHEN NOT _later THEN ~_enqueue.priority END,
                CASE WHEN _later THEN _enqueue.run_at END, _change);
        RETURN _new;
    END IF;

    -- Locks nothing that exists. Between the look and the insert another session may insert the
    -- same key (the insert waits for it, does nothing, and the next look finds it) or finish the
    -- task that the look would have found (the next insert goes through): so both are repeated
    -- until one of them gives an id. Each statement has a new snapshot; in REPEATABLE READ the
    -- conflict is a 40001 instead.
    PERFORM board._check_key(_enqueue.unique_key, 'unique_key');
    LOOP
        SELECT t.id INTO _id
          FROM board.tasks AS t
         WHERE t.kind = _enqueue.kind
           AND t.unique_key = _enqueue.unique_key
           AND t.finished_at IS NULL;
        IF FOUND THEN
            RETURN _id;
        END IF;
        INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at,
                                 unique_key, correlation_id, account, rank, due_at, change)
        VALUES (_new, _enqueue.kind, CASE WHEN _later THEN 'scheduled' ELSE 'pending' END,
                _enqueue.priority, _enqueue.payload, _now, coalesce(_enqueue.run_at, _now),
                _enqueue.unique_key, _enqueue.correlation_id, _enqueue.account,
                CASE WHEN NOT _later THEN ~_enqueue.priority END,
                CASE WHEN _later THEN _enqueue.run_at END, _change)
            ON CONFLICT DO NOTHING;
        IF FOUND THEN
            RETURN _new;
        END IF;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._enqueue IS
    'Private: body of enqueue for the checked name who (NULL: the database role).';
