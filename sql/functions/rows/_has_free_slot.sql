CREATE OR REPLACE FUNCTION board._has_free_slot(
    kind text,
    cap  int,
    at   timestamptz)
RETURNS boolean
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- A slot whose holder's lease has lapsed is free to whoever claims: a claim puts back first
    -- what is due (due_at: not a task that is paused).
    RETURN EXISTS (
        SELECT FROM board.kind_slots AS s
          LEFT JOIN board.tasks AS t ON t.id = s.task_id
         WHERE s.kind = _has_free_slot.kind
           AND s.slot <= cap
           AND (t.status = 'in_progress' AND t.claim_count = s.attempt
                AND (t.due_at <= _has_free_slot.at) IS NOT TRUE) IS NOT TRUE);
END;
$$;

COMMENT ON FUNCTION board._has_free_slot IS
    'Private: whether a claim would find a slot of a kind with a cap free at that moment (a hint; '
    '_free_slots decides).';
