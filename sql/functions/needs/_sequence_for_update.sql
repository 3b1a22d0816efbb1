CREATE OR REPLACE FUNCTION board._sequence_for_update(
    kind         text,
    sequence_key text,
    id           uuid)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _last uuid;
BEGIN
    -- Locks: the row of this kind and key, before any task. Whoever comes second waits for the first
    -- to commit and then stands behind it; a row that another session is just making is waited for
    -- by the INSERT, one that prune has just dropped is made anew. So the order of the sequence is
    -- the order in which this lock was had.
    LOOP
        SELECT s.last_id INTO _last
          FROM board.task_sequences AS s
         WHERE s.kind = _sequence_for_update.kind
           AND s.sequence_key = _sequence_for_update.sequence_key
           FOR UPDATE;
        IF FOUND THEN
            RETURN _last;
        END IF;
        INSERT INTO board.task_sequences (kind, sequence_key, last_id)
        VALUES (_sequence_for_update.kind, _sequence_for_update.sequence_key,
                _sequence_for_update.id)
            ON CONFLICT ON CONSTRAINT task_sequences_pkey DO NOTHING;
        IF FOUND THEN
            RETURN NULL;
        END IF;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._sequence_for_update IS
    'Private: locks the sequence of this kind and key, and returns the task that stands last in it; '
    'NULL: it is new, and begins with the task id.';
