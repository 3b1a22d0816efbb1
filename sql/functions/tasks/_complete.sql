CREATE OR REPLACE FUNCTION board._complete(
    who     text,
    id      uuid,
    result  jsonb,
    attempt bigint)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _locked boolean := false;
    _now timestamptz;
BEGIN
    -- Judged twice: without the lock first, so that who does not hold the task is told so at once
    -- and has neither waited for its row nor locked it; then locked, and judged as it is by then
    -- (another session of the same agent may have completed it), the lease by the clock after the
    -- lock. Then those that wait for it (_meet_needs), in id order.
    PERFORM board._check_payload(_complete.result, 'result');
    SELECT t.* INTO _task FROM board.tasks AS t WHERE t.id = _complete.id;
    IF NOT FOUND THEN
        PERFORM board._task_not_found(_complete.id);
    END IF;
    LOOP
        IF _task.status = 'completed'
           AND _task.finished_by = who
           AND coalesce(_complete.attempt, _task.claim_count) = _task.claim_count THEN
            IF _task.result IS NOT DISTINCT FROM _complete.result THEN
                RETURN 'completed';
            END IF;
            RAISE EXCEPTION USING
                ERRCODE = 'TB004',
                MESSAGE = 'task completed with another result',
                DETAIL = format('Task %s was completed by you at %s; the result kept is not the '
                                'one passed now.', _task.id, _task.finished_at),
                HINT = 'The first result stands. To have it done again ask an operator '
                       '(board.replay).';
        END IF;
        PERFORM board._check_lease(_task, who, _complete.attempt);
        EXIT WHEN _locked;
        _task := board._task_for_update(_complete.id);
        _locked := true;
    END LOOP;
    _now := clock_timestamp();
    UPDATE board.tasks AS t
       SET status = 'completed',
           result = _complete.result,
           leased_by = NULL,
           leased_until = NULL,
           finished_at = _now,
           finished_by = who,
           due_at = NULL,
           turn = t.turn + 1,
           change = NULL
     WHERE t.id = _complete.id;
    IF _task.dependents > 0 THEN
        PERFORM board._meet_needs(who, ARRAY[_complete.id]);
    END IF;
    RETURN 'completed';
END;
$$;

COMMENT ON FUNCTION board._complete IS
    'Private: body of complete for the checked name who.';
