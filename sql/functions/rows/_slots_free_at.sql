CREATE OR REPLACE FUNCTION board._slots_free_at(
    kind text,
    cap  int,
    at   timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Reads only; a slot that is taken a moment later is found out by _free_slots.
    IF cap IS NULL OR board._has_free_slot(_slots_free_at.kind, cap, at) THEN
        RETURN at;
    END IF;
    RETURN coalesce((
        SELECT min(t.due_at)
          FROM board.kind_slots AS s
          JOIN board.tasks AS t ON t.id = s.task_id
         WHERE s.kind = _slots_free_at.kind
           AND s.slot <= cap
           AND t.status = 'in_progress'
           AND t.claim_count = s.attempt), 'infinity');
END;
$$;

COMMENT ON FUNCTION board._slots_free_at IS
    'Private: when a slot of the kind is free by time alone: at, if one is now or there is no cap; '
    'else the first end of a lease that has one; infinity: time alone frees none.';
