CREATE OR REPLACE FUNCTION board._replace_task(
    who            text,
    id             uuid,
    payload        jsonb,
    priority       int,
    run_at         timestamptz,
    correlation_id text,
    account        text)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _run_at timestamptz;
    _later boolean;
    _to jsonb;
    _change jsonb;
BEGIN
    -- Locks the task: a claim that is under way is waited for, and then it is in progress; a
    -- complete too, and then this was not the task to replace.
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _replace_task.id FOR UPDATE;
    IF NOT FOUND OR _task.finished_at IS NOT NULL THEN
        RETURN false;
    END IF;
    _now := clock_timestamp();
    _run_at := coalesce(_replace_task.run_at, _now);
    _later := _run_at > _now;
    _to := jsonb_build_object('payload', _replace_task.payload, 'priority', _replace_task.priority,
                              'run_at', _replace_task.run_at);
    IF _task.status IN ('in_progress', 'escalated') THEN
        _change := board._change(who, 'replaced', jsonb_build_object('next', _to));
        UPDATE board.tasks AS t
           SET replacement = _to || jsonb_build_object(
                   'correlation_id', _replace_task.correlation_id,
                   'account', _replace_task.account, 'actor', who),
               turn = t.turn + 1,
               change = _change
         WHERE t.id = _replace_task.id;
        RETURN true;
    END IF;
    _change := board._change(who, 'replaced', jsonb_build_object(
        'from', jsonb_build_object('payload', _task.payload, 'priority', _task.priority,
                                   'run_at', _task.run_at), 'to', _to));
    UPDATE board.tasks AS t
       SET status = CASE WHEN t.status = 'blocked' THEN 'blocked'
                         WHEN _later THEN 'scheduled' ELSE 'pending' END,
           payload = _replace_task.payload,
           priority = _replace_task.priority,
           run_at = _run_at,
           correlation_id = coalesce(_replace_task.correlation_id, t.correlation_id),
           account = coalesce(_replace_task.account, t.account),
           replacement = NULL,
           rank = CASE WHEN t.status <> 'blocked' AND NOT _later AND NOT t.paused
                       THEN ~_replace_task.priority END,
           due_at = CASE WHEN t.status <> 'blocked' AND _later AND NOT t.paused THEN _run_at END,
           turn = t.turn + 1,
           change = _change
     WHERE t.id = _replace_task.id;
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board._replace_task IS
    'Private: gives a waiting task a new payload, priority and run_at; for one in progress or in the '
    'human queue keeps them in tasks.replacement. False: it is finished, nothing was done.';
