CREATE OR REPLACE FUNCTION board._step_for_update(
    task_id           uuid,
    step              text,
    mode              text,
    OUT number        int,
    OUT first_number  int,
    OUT last_number   int,
    OUT done          boolean,
    OUT response      jsonb,
    OUT unknown_since timestamptz)
RETURNS record
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _row board.calls;
BEGIN
    -- Locks: the step's calls, in order of number; the caller has locked the task, and that lock is
    -- what keeps others away. The one on the calls is for REPEATABLE READ, whose snapshot may be
    -- older than the task's lock.
    number := 1;
    done := false;
    FOR _row IN
        SELECT c.*
          FROM board.calls AS c
         WHERE c.task_id = _step_for_update.task_id AND c.step = _step_for_update.step
         ORDER BY c.number
           FOR UPDATE
    LOOP
        number := _row.number + 1;
        CONTINUE WHEN _row.mode <> _step_for_update.mode;
        first_number := coalesce(first_number, _row.number);
        IF _row.decision <> 'report' THEN
            last_number := _row.number;
            unknown_since := CASE WHEN _row.finished_at IS NULL
                                 THEN coalesce(unknown_since, _row.began_at) END;
        END IF;
        IF _row.succeeded AND NOT _row.late THEN
            done := true;
            response := _row.response;
        END IF;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._step_for_update IS
    'Private: locks the calls of a step and says what those of that mode say together: the number '
    'of the next one, of the first, of the last that was no report, whether the step is done and with '
    'which response, and since when calls of unknown outcome follow one another.';
