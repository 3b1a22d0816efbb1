CREATE OR REPLACE FUNCTION board.explain(id uuid)
RETURNS text
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _task board.tasks;
    _kind board.kinds;
    _status text;
    _lapsed boolean;
    _text text;
BEGIN
    -- Reads, locks nothing: what it says held at _now. The status comes first, then whatever else
    -- stands between the task and the next claim, then its strikes and lapses.
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = explain.id;
    IF NOT FOUND THEN
        PERFORM board._task_not_found(explain.id);
    END IF;
    _kind := board._kind_policy(_task.kind);
    _status := board._status_at(_task.status, _task.run_at, _task.leased_until, _task.escalated_at,
                                _task.lapse_count, _kind.max_lapses, _now);
    _lapsed := _task.leased_until <= _now;
    _text := CASE _task.status
        WHEN 'completed'
            THEN format('completed by "%s" at %s', _task.finished_by, _task.finished_at)
        WHEN 'cancelled'
            THEN format('cancelled by "%s" at %s', _task.finished_by, _task.finished_at)
        WHEN 'escalated'
            THEN format('waiting for a person since %s (%s)', _task.escalated_at,
                _task.escalation_reason)
        WHEN 'in_progress' THEN
            CASE WHEN NOT _lapsed
                 THEN format('leased by "%s" until %s, attempt %s', _task.leased_by,
                     _task.leased_until, _task.claim_count)
                 WHEN _status = 'escalated'
                 THEN format('waiting for a person since %s (%s): the lease of "%s" lapsed at %s',
                     coalesce(_task.escalated_at, _task.leased_until),
                     coalesce(_task.escalation_reason, 'lapses'), _task.leased_by,
                     _task.leased_until)
                 ELSE format('the lease of "%s" lapsed at %s: the next claim takes it back',
                     _task.leased_by, _task.leased_until)
            END
        WHEN 'blocked' THEN board._explain_needs(_task.id)
        WHEN 'scheduled' THEN
            CASE WHEN _task.run_at > _now THEN format('scheduled for %s', _task.run_at)
                 ELSE format('due since %s', _task.run_at) END
        ELSE 'pending'
    END;
    IF _status IN ('pending', 'scheduled') THEN
        _text := _text || '; ' || coalesce(board._explain_policy(_task, _kind, _now),
            CASE WHEN _status = 'scheduled' THEN 'nothing else in the way'
                 ELSE 'claimable now: waiting for an agent' END);
    END IF;
    IF _task.failure_count > 0 AND _task.status NOT IN ('completed', 'cancelled') THEN
        _text := _text || format('; strike %s of %s', _task.failure_count, _kind.max_failures);
    END IF;
    _task.lapse_count := _task.lapse_count + CASE WHEN _lapsed THEN 1 ELSE 0 END;
    IF _task.lapse_count > 0 AND _task.status NOT IN ('completed', 'cancelled') THEN
        _text := _text
            || format('; %s lapsed lease(s)%s', _task.lapse_count, ' of ' || _kind.max_lapses);
    END IF;
    RETURN _text;
END;
$$;

COMMENT ON FUNCTION board.explain IS
$$Says in a sentence why this task is not being worked on now: paused, scheduled, leased by whom
until when, its provider out of budget until when, its kind full, waiting for a person, strike 2
of 3.

id  uuid of the task

Errors: TB002 no such task, 22023 id is NULL.
Example: SELECT id, board.explain(id) FROM board.tasks WHERE status = 'pending';$$;
