CREATE OR REPLACE FUNCTION board._sequence_for_update(
    kind         text,
    sequence_key text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    -- Locks: the row of this kind and key, before any task. Whoever comes second waits for the
    -- first to commit and then stands behind it; a row that another session is just making is
    -- waited for by the INSERT, one that prune has just dropped is made anew. So the order of the
    -- sequence is the order in which this lock was had.
    LOOP
        PERFORM FROM board.task_sequences AS s
          WHERE s.kind = _sequence_for_update.kind
            AND s.sequence_key = _sequence_for_update.sequence_key
            FOR UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO board.task_sequences (kind, sequence_key)
        VALUES (_sequence_for_update.kind, _sequence_for_update.sequence_key)
            ON CONFLICT ON CONSTRAINT task_sequences_pkey DO NOTHING;
        EXIT WHEN FOUND;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._sequence_for_update IS
    'Private: waits until nobody else puts a task to the end of this sequence.';
