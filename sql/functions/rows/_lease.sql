CREATE OR REPLACE FUNCTION board._lease(
    who text,
    ids uuid[],
    ttl interval)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _stamp jsonb := board._stamp(who, 'claimed');
BEGIN
    -- The caller has locked these tasks and found them claimable; the clock is read after that. The
    -- ids come as an array: in UPDATE … WHERE id IN (SELECT … LIMIT … SKIP LOCKED) a nested loop
    -- runs the subquery again and claims more than it should (PostgreSQL bug 15715).
    RETURN QUERY
        WITH leased AS (
            UPDATE board.tasks AS t
               SET status = 'in_progress',
                   leased_by = who,
                   leased_until = _now + _lease.ttl,
                   heartbeat_at = _now,
                   progress_at = _now,
                   claim_count = t.claim_count + 1,
                   stamp = _stamp
             WHERE t.id = ANY (_lease.ids)
            RETURNING t.*)
        SELECT l.* FROM leased AS l ORDER BY ~l.priority, l.created_at, l.id;
END;
$$;

COMMENT ON FUNCTION board._lease IS
    'Private: gives who a lease on tasks that the caller has locked, and returns them in claim '
    'order, each with its new attempt.';
