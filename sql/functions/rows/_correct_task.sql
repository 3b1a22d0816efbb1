CREATE OR REPLACE FUNCTION board._correct_task(
    id     uuid,
    caller text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _was board.tasks;
    _task board.tasks;
BEGIN
    -- After a change typed by hand; the transaction holds the row's lock. Whoever types UPDATE …
    -- SET status = 'pending' means that nobody holds the task: what goes with the status is put
    -- right, and its place in the queue, so that the row is one that the verbs can work with. What
    -- contradicts itself is refused. Is no change of its own (turn 2). Whoever types completed or
    -- cancelled means it for those that wait for the task too.
    SELECT t.* INTO _was FROM board.tasks AS t WHERE t.id = _correct_task.id;
    _task := _was;
    IF _task.status <> 'in_progress' THEN
        _task.leased_by := NULL;
        _task.leased_until := NULL;
    END IF;
    IF _task.status IN ('completed', 'cancelled') THEN
        _task.finished_at := coalesce(_task.finished_at, _now);
        _task.finished_by := coalesce(_task.finished_by, caller);
    ELSE
        _task.finished_at := NULL;
        _task.finished_by := NULL;
    END IF;
    IF _task.status = 'escalated' THEN
        _task.escalated_at := coalesce(_task.escalated_at, _now);
        _task.escalation_reason := coalesce(_task.escalation_reason, 'requested');
    ELSIF _task.status IN ('blocked', 'pending', 'scheduled') THEN
        _task.escalated_at := NULL;
        _task.escalation_reason := NULL;
    END IF;
    IF least(_task.created_at, _task.run_at, _task.leased_until,
             _task.heartbeat_at, _task.escalated_at, _task.finished_at,
             _task.scheduled_for, _task.progress_at) < '0001-01-02 00:00+00'
       OR greatest(_task.created_at, _task.run_at, _task.leased_until,
                   _task.heartbeat_at, _task.escalated_at, _task.finished_at,
                   _task.scheduled_for, _task.progress_at) >= '9999-12-31 00:00+00' THEN
        PERFORM board._raise_broken_rule('tasks_times', _task.id);
    END IF;
    PERFORM board._raise_broken_rule(
        board._broken_rule(_task.status, _task.leased_by, _task.leased_until, _task.escalated_at,
                           _task.finished_at, _task.unmet_needs), _task.id);
    _task.rank := CASE WHEN _task.status = 'pending' AND NOT _task.paused THEN ~_task.priority END;
    _task.due_at := board._due_at(_task.status, _task.paused, _task.run_at, _task.leased_until,
                                  _task.escalated_at);
    IF _task IS DISTINCT FROM _was THEN
        UPDATE board.tasks AS t
           SET leased_by = _task.leased_by,
               leased_until = _task.leased_until,
               finished_at = _task.finished_at,
               finished_by = _task.finished_by,
               escalated_at = _task.escalated_at,
               escalation_reason = _task.escalation_reason,
               rank = _task.rank,
               due_at = _task.due_at,
               turn = t.turn + 2
         WHERE t.id = _task.id;
    END IF;
    IF _task.dependents > 0 AND _task.status = 'completed' THEN
        PERFORM board._meet_needs(caller, ARRAY[_task.id]);
    ELSIF _task.dependents > 0 AND _task.status = 'cancelled' THEN
        PERFORM board._settle_cancelled(caller, _task.id);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._correct_task IS
    'Private: makes lease, finish, escalation and place in the queue of a task agree with its '
    'status after a change typed by hand; 23514 when the row contradicts itself.';
