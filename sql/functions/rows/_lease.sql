CREATE OR REPLACE FUNCTION board._lease(
    who text,
    id  uuid,
    ttl interval)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
BEGIN
    -- The caller has locked this task and found it claimable; the clock is read after that.
    RETURN QUERY
        UPDATE board.tasks AS t
           SET status = 'in_progress',
               leased_by = who,
               leased_until = _now + _lease.ttl,
               heartbeat_at = _now,
               progress_at = NULL,
               claim_count = t.claim_count + 1,
               rank = NULL,
               due_at = CASE WHEN t.escalated_at IS NULL THEN _now + _lease.ttl END,
               turn = t.turn + 1,
               change = NULL
         WHERE t.id = _lease.id
        RETURNING t.*;
END;
$$;

COMMENT ON FUNCTION board._lease IS
    'Private: gives who a lease on a task that the caller has locked, and returns it with its new '
    'attempt.';
