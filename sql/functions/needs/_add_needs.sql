CREATE OR REPLACE FUNCTION board._add_needs(
    id     uuid,
    ids    uuid[],
    unmet  uuid[],
    before uuid,
    at     timestamptz)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _open uuid[] := array_remove(unmet || before, NULL);
BEGIN
    -- Locks: none of its own; the caller has locked the task (or has just made it) and the needs
    -- that are unmet. dependents is counted up and not only set: so a complete of the need whose
    -- snapshot is older than this row meets a row that has changed (40001) instead of a need that
    -- it cannot see.
    INSERT INTO board.task_needs AS n (task_id, needs_id, needed, in_sequence, met_at)
    SELECT _add_needs.id, i.id, i.id = ANY (ids), coalesce(i.id = before, false),
           CASE WHEN i.id <> ALL (_open) THEN at END
      FROM (SELECT n.id FROM unnest(ids) AS n (id) UNION SELECT before WHERE before IS NOT NULL)
        AS i (id)
        ON CONFLICT ON CONSTRAINT task_needs_pkey DO UPDATE
       SET met_at = excluded.met_at, needed = true;
    UPDATE board.tasks AS t
       SET dependents = t.dependents + 1, turn = t.turn + 2
     WHERE t.id = ANY (_open);
END;
$$;

COMMENT ON FUNCTION board._add_needs IS
    'Private: writes down what a task waits for: its needs, of which some are unmet, and (before) the '
    'one before it in its sequence. The caller holds the locks and sets its unmet_needs.';
