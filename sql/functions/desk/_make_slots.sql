CREATE OR REPLACE FUNCTION board._make_slots(
    kind text,
    cap  int)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _slots int[];
    _ids uuid[];
BEGIN
    -- The caller holds the kind's row. Slots are only ever added: those above the cap are not
    -- looked at.
    IF cap IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO board.kind_slots (kind, slot)
    SELECT _make_slots.kind, s.slot FROM generate_series(1, cap) AS s (slot)
        ON CONFLICT ON CONSTRAINT kind_slots_pkey DO NOTHING;
    -- Tasks that agents hold already, from before there was a cap or from above a lower one, take
    -- what slots are free (SKIP LOCKED), so that they count.
    _slots := board._free_slots(_make_slots.kind, cap, cap);
    _ids := ARRAY(
        SELECT t.id
          FROM board.tasks AS t
         WHERE t.kind = _make_slots.kind
           AND t.status = 'in_progress'
           AND t.escalated_at IS NULL
           AND NOT EXISTS (
               SELECT FROM board.kind_slots AS s
                WHERE s.kind = _make_slots.kind
                  AND s.slot <= cap
                  AND s.task_id = t.id
                  AND s.attempt = t.claim_count)
         ORDER BY t.leased_until DESC
         LIMIT cardinality(_slots));
    PERFORM board._fill_slots(_make_slots.kind, _slots, _ids);
END;
$$;

COMMENT ON FUNCTION board._make_slots IS
    'Private: the slots of a kind up to its cap (NULL: none), filled with what agents hold.';
