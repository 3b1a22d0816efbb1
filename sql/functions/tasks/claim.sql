CREATE OR REPLACE FUNCTION board.claim(
    agent     text,
    ttl       interval DEFAULT NULL,
    kinds     text[]   DEFAULT NULL,
    max_tasks bigint   DEFAULT 1)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _until timestamptz;
    _rank int := -2147483648;
    _created_at timestamptz := '-infinity'::timestamptz;
    _id uuid := '00000000-0000-0000-0000-000000000000'::uuid;
    _due_after timestamptz := '-infinity'::timestamptz;
    _walked bigint;
    _task board.tasks;
    -- A name of nothing else needs no closer look; a regular expression costs more than the update.
    _plain CONSTANT text :=
        'abcdefghijklmnopqrstuvwxyz0123456789-_. ABCDEFGHIJKLMNOPQRSTUVWXYZ:@/';
BEGIN
    -- Nearly always one statement for one task, in two forms: over all kinds and for one kind. Its
    -- subqueries are InitPlans, each run once: what the board demands (one row of settings,
    -- no schedule due), whether a task is due, the head of the ready queue, SKIP LOCKED. When no
    -- kind is closed, the index gives the exact order, whatever the number of kinds. Locks one row
    -- that nobody else has locked, and waits for none, so the clock read before is the clock after.
    -- A row that changed between snapshot and lock is passed over by PostgreSQL, or, if it is still
    -- ready, found again by _claim. One that no client could be given goes to the human queue, and
    -- _claim finds the next. What this does not do is _claim's: names that are bound, closed
    -- and special kinds, what is due, batches, a walk that has become long.
    IF max_tasks = 1 AND ltrim(agent, _plain) = '' AND length(agent) BETWEEN 1 AND 200 THEN
        IF current_setting('board.walk', true) <> '' THEN
            SELECT f.rank, f.created_at, f.id, f.due_after
              INTO _rank, _created_at, _id, _due_after
              FROM board._walk_from(claim.kinds, _now) AS f;
        END IF;
        _walked := pg_stat_get_xact_tuples_returned('board.tasks_ready'::regclass)
            + pg_stat_get_xact_tuples_returned('board.tasks_ready_kind'::regclass)
            + pg_stat_get_xact_tuples_returned('board.tasks_due'::regclass)
            + pg_stat_get_xact_tuples_returned('board.tasks_due_kind'::regclass)
            + pg_stat_get_xact_tuples_returned('board.task_schedules_due'::regclass);
        _until := _now + greatest('0', least(coalesce(claim.ttl, '2 minutes'), '20 years'));
        IF kinds IS NULL THEN
            UPDATE board.tasks AS t
               SET status = 'in_progress',
                   leased_by = agent,
                   leased_until = _until,
                   heartbeat_at = _now,
                   progress_at = NULL,
                   claim_count = t.claim_count + 1,
                   rank = NULL,
                   due_at = _until,
                   turn = t.turn + 1,
                   change = NULL
             WHERE t.ctid = CASE
                   WHEN (SELECT NOT s.paused AND NOT s.names_bound
                                AND NOT s.require_registered_agents
                                AND s.closed_kinds = '{}' AND s.special_kinds = '{}'
                                AND coalesce(claim.ttl > '0' AND claim.ttl <= s.max_ttl, true)
                                AND NOT EXISTS (SELECT FROM board.task_schedules AS p
                                                 WHERE p.next_at > _due_after
                                                   AND p.next_at <= _now
                                                   AND p.paused_at IS NULL)
                           FROM board.settings AS s)
                    AND (SELECT d.due_at
                           FROM board.tasks AS d
                          WHERE d.due_at > _due_after AND d.due_at <= _now
                          ORDER BY d.due_at
                          LIMIT 1) IS NULL
                   THEN (SELECT r.ctid
                           FROM board.tasks AS r
                          WHERE r.rank IS NOT NULL
                            AND (r.rank, r.created_at, r.id) > (_rank, _created_at, _id)
                          ORDER BY r.rank, r.created_at, r.id
                          LIMIT 1
                            FOR UPDATE SKIP LOCKED) END
            RETURNING t.* INTO _task;
        ELSIF cardinality(kinds) = 1 THEN
            UPDATE board.tasks AS t
               SET status = 'in_progress',
                   leased_by = agent,
                   leased_until = _until,
                   heartbeat_at = _now,
                   progress_at = NULL,
                   claim_count = t.claim_count + 1,
                   rank = NULL,
                   due_at = _until,
                   turn = t.turn + 1,
                   change = NULL
             WHERE t.ctid = CASE
                   WHEN (SELECT NOT s.paused AND NOT s.names_bound
                                AND NOT s.require_registered_agents
                                AND kinds[1] <> ALL (s.closed_kinds)
                                AND kinds[1] <> ALL (s.special_kinds)
                                AND coalesce(claim.ttl > '0' AND claim.ttl <= s.max_ttl, true)
                                AND NOT EXISTS (SELECT FROM board.task_schedules AS p
                                                 WHERE p.next_at > _due_after
                                                   AND p.next_at <= _now
                                                   AND p.paused_at IS NULL)
                           FROM board.settings AS s)
                    AND (SELECT d.due_at
                           FROM board.tasks AS d
                          WHERE (d.kind, d.due_at) > (kinds[1], _due_after)
                            AND (d.kind, d.due_at) <= (kinds[1], _now)
                            AND d.due_at IS NOT NULL
                          ORDER BY d.kind, d.due_at
                          LIMIT 1) IS NULL
                   THEN (SELECT r.ctid
                           FROM board.tasks AS r
                          WHERE r.rank IS NOT NULL
                            AND (r.kind, r.rank, r.created_at, r.id)
                                > (kinds[1], _rank, _created_at, _id)
                            AND (r.kind, r.rank) <= (kinds[1], 2147483647)
                          ORDER BY r.kind, r.rank, r.created_at, r.id
                          LIMIT 1
                            FOR UPDATE SKIP LOCKED) END
            RETURNING t.* INTO _task;
        END IF;
        IF _task.id IS NOT NULL
           AND NOT board._is_readable(ARRAY[_task.payload, _task.progress, _task.last_failure]) THEN
            PERFORM board._set_aside(agent, _task.id);
        ELSIF _task.id IS NOT NULL THEN
            RETURN NEXT _task;
            _walked := pg_stat_get_xact_tuples_returned('board.tasks_ready'::regclass)
                + pg_stat_get_xact_tuples_returned('board.tasks_ready_kind'::regclass)
                + pg_stat_get_xact_tuples_returned('board.tasks_due'::regclass)
                + pg_stat_get_xact_tuples_returned('board.tasks_due_kind'::regclass)
                + pg_stat_get_xact_tuples_returned('board.task_schedules_due'::regclass) - _walked;
            IF _walked > 1000 OR current_setting('board.walk', true) <> '' THEN
                PERFORM board._remember_walk(
                    claim.kinds, _walked, ~_task.priority, _task.created_at, _task.id, _now);
            END IF;
            RETURN;
        END IF;
    END IF;
    RETURN QUERY
        SELECT * FROM board._claim(
            board._acting_agent(claim.agent), claim.ttl, claim.kinds, claim.max_tasks);
END;
$$;

COMMENT ON FUNCTION board.claim IS
$$Gives the agent the next claimable task or tasks, each with a lease, and returns them; zero rows
when there is nothing.

agent      name of whoever works, 1 to 200 characters
ttl        interval, how long the lease lasts from now; positive, at most settings.max_ttl; NULL: 2
           minutes
kinds      text[], the kinds wanted; NULL: all
max_tasks  bigint, 1 to 1000: so many are leased, also where a LIMIT shows fewer of them

Claimable is what is pending, due, or held under a lease that has lapsed, unless the board, the
kind, its provider or the task is paused, the kind is at max_in_progress, or its provider has no
budget. Higher priority first, then the older task, then the lower id; a task that another claim
has locked at that moment is passed over. claim_count of a returned row is the attempt: pass it to
the other verbs. Complete, fail, release or extend (heartbeat) before leased_until.

Errors: 22023 for an argument out of range, 42501 for a name that is another role's.
Example: SELECT id, payload, claim_count FROM board.claim('agent-7', '2 minutes');$$;
