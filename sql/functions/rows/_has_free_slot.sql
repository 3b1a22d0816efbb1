CREATE OR REPLACE FUNCTION board._has_free_slot(
    kind text,
    cap  int)
RETURNS boolean
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM board.kind_slots AS s
          LEFT JOIN board.tasks AS t ON t.id = s.task_id
         WHERE s.kind = _has_free_slot.kind
           AND s.slot <= cap
           AND (t.status = 'in_progress' AND t.claim_count = s.attempt) IS NOT TRUE);
END;
$$;

COMMENT ON FUNCTION board._has_free_slot IS
    'Private: whether a slot of a kind with a cap looks free (a hint; _free_slots decides).';
