CREATE OR REPLACE FUNCTION board._enqueue_once(
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
    unique_for     interval,
    on_taken       text)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _since timestamptz;
    _id uuid;
BEGIN
    -- Looks for the open task with this key, then for one that was finished within unique_for, then
    -- enqueues as ever. Locks the open task when it is to be replaced. Between look and insert
    -- another session may make such a task and finish it: then the insert goes through, what was
    -- finished is seen by the look after it (nobody can bring the key once more before this
    -- commits), the insert is undone and all begins again.
    LOOP
        SELECT t.id INTO _id
          FROM board.tasks AS t
         WHERE t.kind = _enqueue_once.kind
           AND t.unique_key = _enqueue_once.unique_key
           AND t.finished_at IS NULL;
        IF FOUND THEN
            IF _enqueue_once.on_taken = 'keep' OR board._replace_task(
                   who, _id, _enqueue_once.payload, _enqueue_once.priority::int,
                   _enqueue_once.run_at, _enqueue_once.correlation_id, _enqueue_once.account) THEN
                RETURN _id;
            END IF;
            CONTINUE;
        END IF;
        -- In seconds: a day has 24 hours in every time zone.
        _since := clock_timestamp()
            - make_interval(secs => extract(epoch FROM _enqueue_once.unique_for)::float8);
        _id := board._finished_since(_enqueue_once.kind, _enqueue_once.unique_key, _since);
        IF _id IS NOT NULL THEN
            RETURN _id;
        END IF;
        BEGIN
            _id := board._enqueue(
                who, _enqueue_once.kind, _enqueue_once.payload, _enqueue_once.priority,
                _enqueue_once.run_at, _enqueue_once.unique_key, _enqueue_once.correlation_id,
                _enqueue_once.needs, _enqueue_once.sequence_key, _enqueue_once.account);
            IF NOT board.is_new(_id) THEN
                -- Another session's: it may have to be replaced.
                CONTINUE;
            ELSIF board._finished_since(
                      _enqueue_once.kind, _enqueue_once.unique_key, _since) IS NULL THEN
                RETURN _id;
            END IF;
            RAISE EXCEPTION 'finished since';
        EXCEPTION
            WHEN raise_exception THEN
                IF SQLERRM <> 'finished since' THEN
                    RAISE;
                END IF;
        END;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._enqueue_once IS
    'Private: enqueue with unique_for or on_taken => ''replace''; the arguments are checked.';
