CREATE OR REPLACE FUNCTION board._require_needs(ids uuid[])
RETURNS uuid[]
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _unmet uuid[] := ARRAY[]::uuid[];
    _need record;
BEGIN
    -- The caller has locked the needs.
    FOR _need IN SELECT s.id, s.state FROM board._needs_state(ids) AS s ORDER BY s.id LOOP
        IF _need.state = 'unknown' THEN
            RAISE EXCEPTION USING
                ERRCODE = 'TB002',
                MESSAGE = 'task not found',
                DETAIL = format('There is no task %s to wait for.', _need.id),
                HINT = 'A need is a task that is on the board, or one that was completed and pruned.';
        ELSIF _need.state = 'cancelled' THEN
            RAISE EXCEPTION USING
                ERRCODE = 'TB003',
                MESSAGE = 'cannot wait for a task that is cancelled',
                DETAIL = format('Task %s is cancelled: it will never be completed.', _need.id),
                HINT = 'Leave it out, or ask an operator to have it done again (board.replay).';
        ELSIF _need.state = 'unmet' THEN
            _unmet := _unmet || _need.id;
        END IF;
    END LOOP;
    RETURN _unmet;
END;
$$;

COMMENT ON FUNCTION board._require_needs IS
    'Private: those of the needs that are not completed yet; TB002 for one that nobody knows, TB003 '
    'for one that is cancelled.';
