CREATE OR REPLACE FUNCTION board._lapsed_holders(
    kind text,
    cap  int,
    at   timestamptz)
RETURNS uuid[]
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN ARRAY(
        SELECT t.id
          FROM board.kind_slots AS s
          JOIN board.tasks AS t ON t.id = s.task_id
         WHERE s.kind = _lapsed_holders.kind
           AND s.slot <= cap
           AND t.claim_count = s.attempt
           AND t.due_at <= _lapsed_holders.at);
END;
$$;

COMMENT ON FUNCTION board._lapsed_holders IS
    'Private: the tasks that have a slot of a kind with a cap and whose lease had lapsed by that '
    'moment.';
