CREATE OR REPLACE FUNCTION board._replay(
    who    text,
    id     uuid,
    as_new boolean)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _unmet int;
    _new uuid := board._uuid7();
    _change jsonb;
BEGIN
    -- Locks the finished task. Its unique key may be in other hands by now: the unique index
    -- decides, also against an enqueue that has not committed yet (that one is waited for).
    PERFORM board._invalid_argument('as_new', 'is NULL', 'Pass true or false.')
      WHERE _replay.as_new IS NULL;
    _task := board._task_for_update(_replay.id);
    _now := clock_timestamp();
    IF _task.status NOT IN ('completed', 'cancelled') THEN
        PERFORM board._wrong_state(
            _task, 'replay', 'Only finished tasks can be replayed; this one is still open.');
    END IF;
    IF _replay.as_new THEN
        _change := board._change(who, 'enqueued');
        INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at,
                                 unique_key, correlation_id, account, rank, change)
        VALUES (_new, _task.kind, 'pending', _task.priority, _task.payload, _now, _now,
                _task.unique_key, _task.correlation_id, _task.account, ~_task.priority, _change);
        _change := board._change(who, 'replayed', jsonb_build_object('as_new', _new));
        UPDATE board.tasks AS t SET turn = t.turn + 1, change = _change
         WHERE t.id = _replay.id;
        RETURN _new;
    END IF;
    _unmet := board._drop_cancelled_needs(_replay.id, _now);
    _change := board._change(who, 'replayed');
    UPDATE board.tasks AS t
       SET status = CASE WHEN _unmet > 0 THEN 'blocked' ELSE 'pending' END,
           unmet_needs = _unmet,
           run_at = _now,
           failure_count = 0,
           lapse_count = 0,
           progress = NULL,
           result = NULL,
           replacement = NULL,
           answer = NULL,
           last_failure = NULL,
           escalated_at = NULL,
           escalation_reason = NULL,
           finished_at = NULL,
           finished_by = NULL,
           paused = false,
           rank = CASE WHEN _unmet = 0 THEN ~t.priority END,
           due_at = NULL,
           turn = t.turn + 1,
           change = _change
     WHERE t.id = _replay.id;
    RETURN _replay.id;
EXCEPTION
    WHEN unique_violation THEN
        RAISE EXCEPTION USING
            ERRCODE = 'TB003',
            MESSAGE = 'another open task holds the unique key',
            DETAIL = format('Kind "%s" has an open task with the unique key "%s".',
                            _task.kind, _task.unique_key),
            HINT = 'Finish or cancel that one first, then replay this one.';
END;
$$;

COMMENT ON FUNCTION board._replay IS
    'Private: body of replay for the checked name who.';
