CREATE OR REPLACE FUNCTION board._complete_many(
    who text,
    ids uuid[])
RETURNS SETOF uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
    _caller text := board._caller();
    _now timestamptz := clock_timestamp();
    _ids uuid[];
BEGIN
    -- Three steps. Whose leases they are is judged first, without a lock: what is not this agent's
    -- is not locked. Then the rest is locked in id order, waiting for each, so that two calls with
    -- the same tasks cannot deadlock. Then the clock is read and each locked row is judged again in
    -- the statement that changes it and writes the events (turn 2): between the first look and the
    -- lock a lease may have lapsed, or another attempt begun. In REPEATABLE READ that is 40001.
    PERFORM board._check_attempt(NULL);
    IF _complete_many.ids IS NULL THEN
        PERFORM board._invalid_argument('ids', 'is NULL', 'Pass an array of task ids.');
    END IF;
    _ids := ARRAY(
        SELECT t.id
          FROM board.tasks AS t
         WHERE t.id = ANY (_complete_many.ids)
           AND CASE WHEN t.status = 'in_progress' AND t.leased_by = who
               THEN t.leased_until > _now ELSE false END);
    IF cardinality(_ids) = 0 THEN
        RETURN;
    END IF;
    PERFORM FROM board.tasks AS t WHERE t.id = ANY (_ids) ORDER BY t.id FOR UPDATE;
    _now := clock_timestamp();
    RETURN QUERY
        WITH finished AS (
            UPDATE board.tasks AS t
               SET status = 'completed',
                   result = NULL,
                   leased_by = NULL,
                   leased_until = NULL,
                   finished_at = _now,
                   finished_by = who,
                   due_at = NULL,
                   turn = t.turn + 2,
                   change = NULL
             WHERE t.id = ANY (_ids)
               AND CASE WHEN t.status = 'in_progress' AND t.leased_by = who
                   THEN t.leased_until > _now ELSE false END
            RETURNING t.id, t.kind, t.claim_count),
        logged AS (
            INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt)
            SELECT f.id, f.kind, 'completed', who, _caller, f.claim_count
              FROM finished AS f
             ORDER BY f.id)
        SELECT f.id FROM finished AS f ORDER BY f.id;
    _ids := ARRAY(
        SELECT t.id
          FROM board.tasks AS t
         WHERE t.id = ANY (_ids)
           AND t.dependents > 0
           AND t.status = 'completed');
    IF cardinality(_ids) > 0 THEN
        PERFORM board._meet_needs(who, _ids);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._complete_many IS
    'Private: body of complete_many for the checked name who.';
