CREATE OR REPLACE FUNCTION board._lease_ready(
    who    text,
    ids    uuid[],
    wanted bigint,
    ttl    interval)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
    _caller text := board._caller();
    _now timestamptz := clock_timestamp();
BEGIN
    -- One statement. It locks up to wanted of these tasks in claim order, SKIP LOCKED, and gives
    -- the lease on those. A row that changed since the snapshot is checked again by PostgreSQL
    -- before it is locked; once locked it is ours until commit. The subquery is an ARRAY: it runs
    -- once; in UPDATE … WHERE id IN (SELECT … LIMIT … SKIP LOCKED) a nested loop runs it again and
    -- claims more than it should (PostgreSQL bug 15715). rank stands in a CASE, so that the rows
    -- are found by primary key alone. The events are written here (turn 2). Nothing is waited for,
    -- so the clock read before is the clock after.
    RETURN QUERY
        WITH leased AS (
            UPDATE board.tasks AS t
               SET status = 'in_progress',
                   leased_by = who,
                   leased_until = _now + _lease_ready.ttl,
                   heartbeat_at = _now,
                   progress_at = NULL,
                   claim_count = t.claim_count + 1,
                   rank = NULL,
                   due_at = _now + _lease_ready.ttl,
                   turn = t.turn + 2,
                   change = NULL
             WHERE t.id = ANY (ARRAY(
                   SELECT r.id
                     FROM board.tasks AS r
                    WHERE r.id = ANY (_lease_ready.ids)
                      AND CASE WHEN r.rank IS NULL THEN false ELSE true END
                    ORDER BY r.rank, r.created_at, r.id
                    LIMIT _lease_ready.wanted
                      FOR UPDATE SKIP LOCKED))
            RETURNING t.*),
        logged AS (
            INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)
            SELECT l.id, l.kind, 'claimed', who, _caller, l.claim_count,
                   jsonb_build_object('leased_until', l.leased_until)
              FROM leased AS l
             ORDER BY ~l.priority, l.created_at, l.id)
        SELECT l.* FROM leased AS l ORDER BY ~l.priority, l.created_at, l.id;
END;
$$;

COMMENT ON FUNCTION board._lease_ready IS
    'Private: gives who a lease on the best wanted of these tasks that are ready and that nobody '
    'else has locked, and returns them in claim order, each with its new attempt.';
