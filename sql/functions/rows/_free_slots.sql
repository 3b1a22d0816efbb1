CREATE OR REPLACE FUNCTION board._free_slots(
    kind   text,
    cap    int,
    wanted int)
RETURNS int[]
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _locked int[];
    _free int[];
BEGIN
    -- Looks for free slots and locks them, SKIP LOCKED; then looks again in a new statement, since
    -- the first one judged by a snapshot from before the lock: another claim may have filled the
    -- slot and committed in between. Judging in the locking statement let 7 through at a cap of 5.
    -- A slot that is free and locked stays ours until commit: nobody else can fill it.
    LOOP
        _locked := ARRAY(
            SELECT s.slot
              FROM board.kind_slots AS s
             WHERE s.kind = _free_slots.kind
               AND s.slot <= _free_slots.cap
               AND NOT EXISTS (
                   SELECT FROM board.tasks AS t
                    WHERE t.id = s.task_id
                      AND t.status = 'in_progress'
                      AND t.claim_count = s.attempt)
             ORDER BY s.slot
             LIMIT _free_slots.wanted
               FOR UPDATE OF s SKIP LOCKED);
        _free := ARRAY(
            SELECT s.slot
              FROM board.kind_slots AS s
              LEFT JOIN board.tasks AS t ON t.id = s.task_id
             WHERE s.kind = _free_slots.kind
               AND s.slot = ANY (_locked)
               AND (t.status = 'in_progress' AND t.claim_count = s.attempt) IS NOT TRUE
             ORDER BY s.slot);
        EXIT WHEN cardinality(_free) > 0 OR cardinality(_locked) = 0;
    END LOOP;
    RETURN _free;
END;
$$;

COMMENT ON FUNCTION board._free_slots IS
    'Private: locks up to wanted free slots of a kind with a cap and returns their numbers; '
    'never waits.';
