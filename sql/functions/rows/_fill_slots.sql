CREATE OR REPLACE FUNCTION board._fill_slots(
    kind  text,
    slots int[],
    ids   uuid[])
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- The caller has locked these slots and claimed these tasks in this transaction.
    UPDATE board.kind_slots AS s
       SET task_id = t.id, attempt = t.claim_count
      FROM unnest(_fill_slots.slots, _fill_slots.ids) AS p (slot, id)
      JOIN board.tasks AS t ON t.id = p.id
     WHERE s.kind = _fill_slots.kind AND s.slot = p.slot;
END;
$$;

COMMENT ON FUNCTION board._fill_slots IS
    'Private: writes tasks just claimed into slots just locked, one each.';
