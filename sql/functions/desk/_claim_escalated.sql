CREATE OR REPLACE FUNCTION board._claim_escalated(
    who text,
    ttl interval,
    id  uuid)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _ids uuid[];
BEGIN
    PERFORM board._check_ttl(_claim_escalated.ttl);
    IF _claim_escalated.id IS NOT NULL THEN
        -- This very card: waits for its row, puts it back first if a person let it lapse.
        _task := board._task_for_update(_claim_escalated.id);
        _now := clock_timestamp();
        IF _task.status = 'in_progress' AND _task.escalated_at IS NOT NULL
            AND _task.leased_until <= _now THEN
            _task.status := board._expire_task(who, _task);
        END IF;
        IF _task.status <> 'escalated' THEN
            RETURN;
        ELSIF NOT board._is_readable(ARRAY[_task.payload, _task.progress, _task.last_failure]) THEN
            PERFORM board._wrong_state(_task, 'hand out', 'One of its JSON values prints as more '
                'than 64 MB: cancel the task, or put another value in its place.');
        END IF;
    ELSE
        -- What people let lapse goes back first (all of it, SKIP LOCKED), then the best card
        -- that nobody else has locked. One that no client could be given stays where it is.
        _now := clock_timestamp();
        _ids := ARRAY(
            SELECT t.id FROM board.tasks AS t
             WHERE t.status = 'in_progress' AND t.escalated_at IS NOT NULL
               AND t.finished_at IS NULL
               AND t.leased_until <= _now);
        PERFORM board._expire_tasks(who, _ids, _now);
        _ids := ARRAY[]::uuid[];
        LOOP
            SELECT t.* INTO _task
              FROM board.tasks AS t
             WHERE t.status = 'escalated' AND t.escalated_at IS NOT NULL AND t.finished_at IS NULL
               AND t.id <> ALL (_ids)
             ORDER BY ~t.priority, t.escalated_at, t.id
             LIMIT 1
               FOR UPDATE SKIP LOCKED;
            IF NOT FOUND THEN
                RETURN;
            END IF;
            EXIT WHEN board._is_readable(ARRAY[_task.payload, _task.progress, _task.last_failure]);
            _ids := _ids || _task.id;
        END LOOP;
    END IF;
    RETURN QUERY SELECT * FROM board._lease(who, _task.id, _claim_escalated.ttl);
END;
$$;

COMMENT ON FUNCTION board._claim_escalated IS
    'Private: body of claim_escalated for the checked name who.';
