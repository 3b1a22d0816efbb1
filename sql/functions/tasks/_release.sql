CREATE OR REPLACE FUNCTION board._release(
    who     text,
    id      uuid,
    delay   interval,
    attempt bigint,
    needs   uuid[])
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _needs uuid[] := board._check_needs(_release.needs);
    _unmet int := 0;
    _task board.tasks;
    _status text;
    _now timestamptz;
    _change jsonb;
    _digest text;
    _answer text;
BEGIN
    -- Locks the task, if it is his; the lease is judged by the clock after that lock. With needs:
    -- first the row of needs_graph, so that no two releases close a cycle from both ends, then the
    -- task and its needs, all or none; who does not hold the task locks nothing. Said again for the
    -- attempt that it ended it changes nothing.
    PERFORM board._check_delay(_release.delay, 'delay');
    PERFORM board._invalid_argument('delay', 'is NULL', 'Pass ''0'' for at once.')
      WHERE _release.delay IS NULL;
    IF _release.attempt IS NOT NULL THEN
        _digest := board._digest(jsonb_build_array(to_jsonb(_needs)));
    END IF;
    IF cardinality(_needs) > 0 THEN
        SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _release.id;
        IF FOUND THEN
            _answer := board._ended_as(_task.ended, who, _release.attempt, 'release', _digest);
            IF _answer IS NOT NULL THEN
                RETURN _answer;
            END IF;
            PERFORM board._check_lease(_task, who, _release.attempt);
        END IF;
        PERFORM board._needs_graph_for_update();
        PERFORM board._tasks_for_update(_release.id || _needs);
    END IF;
    _task := board._task_to_end(_release.id, who, _release.attempt, 'release', _digest);
    _answer := board._ended_as(_task.ended, who, _release.attempt, 'release', _digest);
    IF _answer IS NOT NULL THEN
        RETURN _answer;
    END IF;
    _now := clock_timestamp();
    IF cardinality(_needs) > 0 THEN
        IF _task.escalated_at IS NOT NULL THEN
            PERFORM board._wrong_state(_task, 'let wait', 'A card of the human queue goes back to '
                'it. The person who holds it gives it to the agents with board.retry(), and they '
                'can release it with needs.');
        END IF;
        _unmet := board._wait_for_needs(_release.id, _needs, _now);
    END IF;
    _status := CASE WHEN _task.escalated_at IS NOT NULL THEN 'escalated'
                    WHEN _unmet > 0 THEN 'blocked'
                    WHEN _release.delay > '0' THEN 'scheduled'
                    ELSE 'pending' END;
    _change := board._change(who, 'released', CASE WHEN _unmet > 0
        THEN jsonb_build_object('needs', to_jsonb(_needs)) END);
    UPDATE board.tasks AS t
       SET status = _status,
           leased_by = NULL,
           leased_until = NULL,
           unmet_needs = _unmet,
           run_at = CASE WHEN _release.delay > '0' AND _status <> 'escalated'
               THEN _now + _release.delay ELSE t.run_at END,
           rank = CASE WHEN _status = 'pending' AND NOT t.paused THEN ~t.priority END,
           due_at = CASE WHEN _status = 'scheduled' AND NOT t.paused THEN _now + _release.delay END,
           ended = board._ended(t.claim_count, who, 'release', _status, _digest),
           turn = t.turn + 1,
           change = _change
     WHERE t.id = _release.id;
    RETURN _status;
END;
$$;

COMMENT ON FUNCTION board._release IS
    'Private: body of release for the checked name who.';
