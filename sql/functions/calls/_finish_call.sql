CREATE OR REPLACE FUNCTION board._finish_call(
    who       text,
    task_id   uuid,
    step      text,
    response  jsonb,
    succeeded boolean,
    attempt   bigint,
    used      jsonb)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _call board.calls;
    _attempt int;
    _used jsonb;
    _usage_id bigint;
    _late boolean;
    _now timestamptz;
BEGIN
    -- Locks: the task, then the step's calls, then (in _settle_usage) the usage record and budgets,
    -- after which nothing is waited for. No lease is asked for: this reports what has happened
    -- in the world. The task's lock puts it before or after another attempt's begin_call, and that
    -- order alone decides between recorded and late. The lock on the calls is for REPEATABLE READ:
    -- a later begin_call has marked the row that it superseded, so an older snapshot gets 40001.
    PERFORM board._check_name(_finish_call.step, 'step');
    _attempt := board._to_int(_finish_call.attempt, 'attempt');
    PERFORM board._check_attempt(_attempt);
    PERFORM board._check_payload(_finish_call.response, 'response');
    _used := board._check_units(_finish_call.used, 'used');
    IF _finish_call.succeeded IS NULL THEN
        PERFORM board._invalid_argument('succeeded', 'is NULL',
            'Pass true or false; when you do not know what came of a call, leave it unfinished.');
    END IF;
    _task := board._task_for_update(_finish_call.task_id);
    PERFORM FROM board.calls AS c
      WHERE c.task_id = _finish_call.task_id AND c.step = _finish_call.step
      ORDER BY c.number
        FOR UPDATE;
    _now := clock_timestamp();
    _call := board._call_to_finish(_task, _finish_call.step, who, _attempt, _now);
    _usage_id := _call.usage_id;

    -- Said before: the same answer.
    SELECT c.late INTO _late
      FROM board.calls AS c
     WHERE c.task_id = _call.task_id AND c.step = _call.step AND c.number >= _call.number
       AND c.mode = _call.mode AND c.attempt = _call.attempt AND c.finished_by = who
       AND c.succeeded = _finish_call.succeeded
       AND c.response IS NOT DISTINCT FROM _finish_call.response
     ORDER BY c.number
     LIMIT 1;
    IF FOUND THEN
        -- What was used may be told later than what came of it.
        PERFORM board._settle_usage(_usage_id, _used);
        RETURN CASE WHEN _late THEN 'late' ELSE 'recorded' END;
    END IF;

    _late := EXISTS (
        SELECT FROM board.calls AS c
         WHERE c.task_id = _call.task_id AND c.step = _call.step AND c.mode = _call.mode
           AND (c.attempt > _call.attempt OR c.succeeded AND NOT c.late));
    IF _call.finished_at IS NULL THEN
        UPDATE board.calls AS c
           SET finished_at = _now,
               finished_by = who,
               succeeded = _finish_call.succeeded,
               late = _late,
               response = _finish_call.response
         WHERE c.task_id = _call.task_id AND c.step = _call.step AND c.number = _call.number;
    ELSE
        -- The call has an outcome that says otherwise: both are kept. A success overrides a failure
        -- as long as nothing has been sent since, because the next begin_call would send again.
        _call.number := 1 + (
            SELECT max(c.number)
              FROM board.calls AS c
             WHERE c.task_id = _call.task_id AND c.step = _call.step);
        _call.decision := 'report';
        _call.usage_id := NULL;
        _call.agent := who;
        _call.finished_at := _now;
        _call.finished_by := who;
        _call.succeeded := _finish_call.succeeded;
        _call.late := _late;
        _call.response := _finish_call.response;
        PERFORM board._record_call(_call);
    END IF;
    -- Late or not: it was used.
    PERFORM board._settle_usage(_usage_id, _used);
    RETURN CASE WHEN _late THEN 'late' ELSE 'recorded' END;
END;
$$;

COMMENT ON FUNCTION board._finish_call IS
    'Private: body of finish_call for the checked name who.';
