CREATE OR REPLACE FUNCTION board._enqueue_waiting(
    kind           text,
    payload        jsonb,
    priority       int,
    run_at         timestamptz,
    unique_key     text,
    correlation_id text,
    needs          uuid[],
    sequence_key   text,
    account        text,
    change         jsonb)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _needs uuid[] := board._check_needs(_enqueue_waiting.needs);
    _before board.tasks;
    _now timestamptz;
    _new uuid;
    _unmet uuid[];
    _waits int;
    _id uuid;
BEGIN
    -- Locks, in this order: the sequence of this kind and key; then the needs and the task that is
    -- last in the sequence, all or none; then nothing but the new row, whose INSERT waits for a
    -- session that is just bringing the same unique key. Under these locks no need can be completed
    -- or cancelled: what is unmet is written down before its complete can look for who waits. If
    -- the last one of the sequence ends before it is locked, the one before that may be open still:
    -- look again.
    PERFORM board._check_key(_enqueue_waiting.unique_key, 'unique_key');
    PERFORM board._check_key(_enqueue_waiting.sequence_key, 'sequence_key');
    LOOP
        SELECT t.id INTO _id
          FROM board.tasks AS t
         WHERE t.kind = _enqueue_waiting.kind
           AND t.unique_key = _enqueue_waiting.unique_key
           AND t.finished_at IS NULL;
        IF FOUND THEN
            RETURN _id;
        END IF;
        IF _enqueue_waiting.sequence_key IS NOT NULL THEN
            PERFORM board._sequence_for_update(
                _enqueue_waiting.kind, _enqueue_waiting.sequence_key);
        END IF;
        SELECT t.* INTO _before
          FROM board.tasks AS t
         WHERE t.kind = _enqueue_waiting.kind
           AND t.sequence_key = _enqueue_waiting.sequence_key
           AND t.finished_at IS NULL
         ORDER BY t.created_at DESC, t.id DESC
         LIMIT 1;
        PERFORM board._tasks_for_update(array_remove(_needs || _before.id, NULL));
        PERFORM FROM board.tasks AS t WHERE t.id = _before.id AND t.finished_at IS NOT NULL;
        CONTINUE WHEN FOUND;
        _unmet := board._require_needs(_needs);
        -- Who comes later in a sequence is younger, whatever the clock says.
        _now := greatest(clock_timestamp(), transaction_timestamp(),
                         _before.created_at + interval '1 microsecond');
        _new := board._uuid7(_now);
        _waits := cardinality(_unmet)
            + CASE WHEN _before.id IS NOT NULL AND _before.id <> ALL (_unmet) THEN 1 ELSE 0 END;
        INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at,
                                 unique_key, correlation_id, sequence_key, account, unmet_needs,
                                 rank, due_at, change)
        VALUES (_new, _enqueue_waiting.kind,
                CASE WHEN _waits > 0 THEN 'blocked'
                     WHEN _enqueue_waiting.run_at > _now THEN 'scheduled' ELSE 'pending' END,
                _enqueue_waiting.priority, _enqueue_waiting.payload, _now,
                coalesce(_enqueue_waiting.run_at, _now), _enqueue_waiting.unique_key,
                _enqueue_waiting.correlation_id, _enqueue_waiting.sequence_key,
                _enqueue_waiting.account, _waits,
                CASE WHEN _waits = 0 AND (_enqueue_waiting.run_at > _now) IS NOT TRUE
                     THEN ~_enqueue_waiting.priority END,
                CASE WHEN _waits = 0 AND _enqueue_waiting.run_at > _now
                     THEN _enqueue_waiting.run_at END,
                _enqueue_waiting.change)
            ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
    END LOOP;
    PERFORM board._add_needs(_new, _needs, _unmet, _before.id, _now);
    RETURN _new;
END;
$$;

COMMENT ON FUNCTION board._enqueue_waiting IS
    'Private: enqueue of a task with needs or a sequence; the other arguments are checked.';
