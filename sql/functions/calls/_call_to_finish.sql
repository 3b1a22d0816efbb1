CREATE OR REPLACE FUNCTION board._call_to_finish(
    task    board.tasks,
    step    text,
    who     text,
    attempt int,
    at      timestamptz)
RETURNS board.calls
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _call board.calls;
    _last board.calls;
    _asked boolean;
BEGIN
    -- Whoever took the task from the human queue did so to find out what became of the last live
    -- call, also when an earlier one was his own.
    SELECT c.* INTO _call
      FROM board.calls AS c
     WHERE c.task_id = task.id AND c.step = _call_to_finish.step AND c.agent = who
       AND c.decision <> 'report'
       AND (_call_to_finish.attempt IS NULL OR c.attempt = _call_to_finish.attempt)
     ORDER BY c.number DESC
     LIMIT 1;
    SELECT c.* INTO _last
      FROM board.calls AS c
     WHERE c.task_id = task.id AND c.step = _call_to_finish.step AND c.decision <> 'report'
     ORDER BY c.mode = 'live' DESC, c.number DESC
     LIMIT 1;
    _asked := _last.mode = 'live' AND task.escalated_at IS NOT NULL
              AND board._holds_lease(task, who, _call_to_finish.attempt, at);
    IF _asked AND _last.number > coalesce(_call.number, 0) THEN
        RETURN _last;
    ELSIF _call.number IS NOT NULL THEN
        RETURN _call;
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = 'TB003',
        MESSAGE = format('step "%s" was not begun by "%s"%s', _call_to_finish.step, who,
                         ' at attempt ' || _call_to_finish.attempt),
        DETAIL = CASE WHEN _last.number IS NULL
            THEN format('Nobody has begun this step of task %s.', task.id)
            ELSE format('"%s" began this step of task %s at attempt %s.', _last.agent, task.id,
                        _last.attempt) END,
        HINT = CASE WHEN _last.agent = who
            THEN format('Pass attempt => %s, the one that began it.', _last.attempt)
            ELSE 'Call board.begin_call() first: it records a call before it is sent, and says '
                 'what is known of its step. The outcome of a call that another began is told by '
                 'the person who holds the task from the human queue.' END;
END;
$$;

COMMENT ON FUNCTION board._call_to_finish IS
    'Private: the call whose outcome who may tell: the latest of this step that he began (at '
    'that attempt, if given); for a person who holds the task from the human queue, the latest '
    'live one; else TB003.';
