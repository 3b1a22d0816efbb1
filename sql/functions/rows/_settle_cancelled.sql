CREATE OR REPLACE FUNCTION board._settle_cancelled(
    who text,
    id  uuid)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _note jsonb := jsonb_build_object('need', _settle_cancelled.id);
    _change jsonb := board._change(who, 'escalated', _note);
    _before uuid;
BEGIN
    -- Locks: none of its own; the caller holds the task, those that wait for it and, if it has not
    -- come to its turn, the one before it in its sequence (_prepare_cancel). That one is held
    -- because its complete must not look for those behind it while one of them changes places.
    SELECT n.needs_id INTO _before
      FROM board.task_needs AS n
     WHERE n.task_id = _settle_cancelled.id AND n.in_sequence AND n.met_at IS NULL;
    IF FOUND THEN
        -- Whoever stood behind this one stands behind the one before it now, too.
        WITH moved AS (
            INSERT INTO board.task_needs (task_id, needs_id, needed, in_sequence)
            SELECT n.task_id, _before, false, true
              FROM board.task_needs AS n
             WHERE n.needs_id = _settle_cancelled.id AND n.in_sequence AND n.met_at IS NULL
                ON CONFLICT ON CONSTRAINT task_needs_pkey DO NOTHING
            RETURNING task_needs.task_id)
        UPDATE board.tasks AS t
           SET unmet_needs = t.unmet_needs + 1, turn = t.turn + 2
          FROM moved AS m
         WHERE t.id = m.task_id;
        UPDATE board.task_needs AS n
           SET in_sequence = true
          FROM board.task_needs AS b
         WHERE b.needs_id = _settle_cancelled.id AND b.in_sequence AND b.met_at IS NULL
           AND n.task_id = b.task_id AND n.needs_id = _before;
        UPDATE board.tasks AS t
           SET dependents = t.dependents + 1, turn = t.turn + 2
         WHERE t.id = _before;
    END IF;
    PERFORM board._meet_needs(who, ARRAY[_settle_cancelled.id], false);
    DELETE FROM board.task_needs AS n
     WHERE n.needs_id = _settle_cancelled.id AND NOT n.needed;
    UPDATE board.tasks AS t
       SET status = 'escalated',
           escalated_at = _now,
           escalation_reason = 'need_cancelled',
           last_failure = _note,
           rank = NULL,
           due_at = NULL,
           turn = t.turn + 1,
           change = _change
     WHERE t.id = ANY (ARRAY(
               SELECT n.task_id
                 FROM board.task_needs AS n
                WHERE n.needs_id = _settle_cancelled.id AND n.met_at IS NULL))
       AND t.status = 'blocked';
END;
$$;

COMMENT ON FUNCTION board._settle_cancelled IS
    'Private: what the cancelling of a task means for those that wait for it: a need that can never '
    'be met brings them to the human queue; in a sequence the next one moves up.';
