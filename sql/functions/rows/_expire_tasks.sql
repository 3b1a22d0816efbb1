CREATE OR REPLACE FUNCTION board._expire_tasks(
    who text,
    ids uuid[],
    at  timestamptz,
    OUT expired int,
    OUT ready   int)
RETURNS record
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
BEGIN
    -- One statement for any number of tasks. It locks them in id order, SKIP LOCKED: a row that
    -- somebody holds is being changed right now, by its holder or by another sweeper; either way it
    -- is not ours to expire. PostgreSQL looks again at a row that has changed since the snapshot
    -- before it is given: its holder may have sent a heartbeat or finished it. Conditions stand in
    -- a CASE, so that the rows are found by primary key alone. The events are written here (turn
    -- 2). What escalates has been in the human queue since its lease lapsed: the views showed it
    -- there.
    WITH due AS MATERIALIZED (
        SELECT t.id, t.status, t.leased_by, t.leased_until,
               board._status_at(t.status, t.run_at, t.leased_until, t.escalated_at, t.lapse_count,
                                k.max_lapses, _expire_tasks.at) = 'escalated' AS escalates
          FROM board.tasks AS t
          LEFT JOIN board.kinds AS k ON k.name = t.kind
         WHERE t.id = ANY (_expire_tasks.ids)
           AND CASE t.status WHEN 'scheduled' THEN t.run_at <= _expire_tasks.at
                             WHEN 'in_progress' THEN t.leased_until <= _expire_tasks.at
                             WHEN 'pending' THEN t.rank IS NULL AND t.due_at <= _expire_tasks.at
                             ELSE false END
         ORDER BY t.id
           FOR UPDATE OF t SKIP LOCKED),
    expired AS (
        UPDATE board.tasks AS t
           SET status = CASE WHEN d.escalates THEN 'escalated' ELSE 'pending' END,
               leased_by = NULL,
               leased_until = NULL,
               lapse_count = t.lapse_count + CASE WHEN d.status = 'in_progress' THEN 1 ELSE 0 END,
               escalated_at = CASE WHEN d.escalates
                   THEN coalesce(t.escalated_at, d.leased_until) END,
               escalation_reason = CASE WHEN d.escalates
                   THEN coalesce(t.escalation_reason, 'lapses') END,
               rank = CASE WHEN NOT d.escalates AND NOT t.paused THEN ~t.priority END,
               due_at = NULL,
               turn = t.turn + 2,
               change = NULL
          FROM due AS d
         WHERE t.id = d.id
        RETURNING t.id, t.kind, t.claim_count, t.failure_count, t.lapse_count, t.escalation_reason,
                  t.rank, d.status, d.leased_by, d.leased_until, d.escalates),
    logged AS (
        INSERT INTO board.task_events (task_id, kind, type, actor, db_user, attempt, payload)
        SELECT e.id, e.kind, v.type, who, _caller, e.claim_count, v.payload
          FROM expired AS e
         CROSS JOIN LATERAL (VALUES
               ('expired', jsonb_build_object('leased_by', e.leased_by,
                                              'leased_until', e.leased_until)),
               ('escalated', jsonb_build_object('reason', e.escalation_reason,
                                                'failures', e.failure_count,
                                                'lapses', e.lapse_count))) AS v (type, payload)
         WHERE e.status = 'in_progress' AND (v.type = 'expired' OR e.escalates))
    SELECT count(*), count(e.rank)
      INTO expired, ready
      FROM expired AS e;
END;
$$;

COMMENT ON FUNCTION board._expire_tasks IS
    'Private: locks those of the tasks that nobody else has locked, and puts back each that was '
    'due by at: scheduled becomes pending; a lapsed lease becomes pending, or escalated at the '
    'kind''s max_lapses or when a person held it. Returns how many it put back, and how '
    'many of these are ready for agents now.';
