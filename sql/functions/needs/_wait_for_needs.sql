CREATE OR REPLACE FUNCTION board._wait_for_needs(
    id  uuid,
    ids uuid[],
    at  timestamptz)
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _unmet uuid[] := board._require_needs(ids);
    _cycle uuid[] := board._need_cycle(_wait_for_needs.id, _unmet);
BEGIN
    -- Locks: none of its own; the caller holds the row of needs_graph, the task and its needs.
    IF _cycle IS NOT NULL THEN
        PERFORM board._invalid_argument('needs', format('would close a cycle: %s',
            array_to_string(_cycle, ' waits for ')),
            'A task cannot wait for one that waits for it.');
    END IF;
    PERFORM board._add_needs(_wait_for_needs.id, ids, _unmet, NULL, at);
    RETURN (SELECT count(*) FROM board.task_needs AS n
             WHERE n.task_id = _wait_for_needs.id AND n.met_at IS NULL);
END;
$$;

COMMENT ON FUNCTION board._wait_for_needs IS
    'Private: lets an existing task wait for these too, and returns how many needs are unmet then; '
    '22023 with the cycle that it would close.';
