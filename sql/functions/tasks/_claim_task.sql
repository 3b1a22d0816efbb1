CREATE OR REPLACE FUNCTION board._claim_task(
    who text,
    id  uuid,
    ttl interval)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _open record;
    _slots int[];
BEGIN
    -- Looks first, without a lock: a task that is not to be had is not locked. Then locks it (waits
    -- for it: the other one may give it back), judges again, then a slot of a kind with a cap (SKIP
    -- LOCKED, so nothing is waited for while the task is held).
    IF _claim_task.ttl IS NOT NULL THEN
        PERFORM board._check_ttl(_claim_task.ttl);
    END IF;
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _claim_task.id;
    IF NOT FOUND THEN
        PERFORM board._task_not_found(_claim_task.id);
    END IF;
    _now := clock_timestamp();
    IF _task.paused OR _task.status NOT IN ('pending', 'scheduled', 'in_progress')
       OR board._due_at(_task.status, false, _task.run_at, _task.leased_until, NULL) > _now THEN
        RETURN;
    END IF;
    SELECT o.* INTO _open FROM board._claimable_kinds(ARRAY[_task.kind], _now) AS o;
    IF NOT FOUND
       OR board._budget_free_at(
              _open.provider, coalesce(_task.account, _open.provider_account), 1, _now) > _now
    THEN
        RETURN;
    END IF;
    _task := board._task_for_update(_claim_task.id);
    _now := clock_timestamp();
    IF board._due_at(_task.status, false, _task.run_at, _task.leased_until, NULL) <= _now THEN
        _task.status := board._expire_task(who, _task);
    END IF;
    IF _task.status <> 'pending' OR _task.paused THEN
        RETURN;
    END IF;
    IF NOT board._is_readable(ARRAY[_task.payload, _task.progress, _task.last_failure]) THEN
        PERFORM FROM board._lease(who, _claim_task.id, coalesce(_claim_task.ttl, '2 minutes'));
        PERFORM board._set_aside(who, _claim_task.id);
        RETURN;
    END IF;
    IF _open.max_in_progress IS NOT NULL THEN
        -- A slot of a lease that has lapsed is free once that is written down (SKIP LOCKED).
        _slots := board._free_slots(_task.kind, _open.max_in_progress, 1);
        IF cardinality(_slots) = 0 THEN
            PERFORM board._expire_tasks(
                who, board._lapsed_holders(_task.kind, _open.max_in_progress, _now), _now);
            _slots := board._free_slots(_task.kind, _open.max_in_progress, 1);
        END IF;
        IF cardinality(_slots) = 0 THEN
            RETURN;
        END IF;
    END IF;
    RETURN QUERY
        SELECT * FROM board._lease(who, _claim_task.id, coalesce(_claim_task.ttl, '2 minutes'));
    IF _open.max_in_progress IS NOT NULL THEN
        PERFORM board._fill_slots(_task.kind, _slots, ARRAY[_claim_task.id]);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._claim_task IS
    'Private: body of claim_task for the checked name who.';
