CREATE OR REPLACE FUNCTION board._schedule_due(
    kind    text,
    without text[])
RETURNS timestamptz
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
AS $$
DECLARE
    _due_at timestamptz;
BEGIN
    -- Reads only: one probe of task_schedules_kind, or of task_schedules_due, in which those of the
    -- kinds left out are stepped over. What waits for an open task is not due by time alone.
    IF kind IS NULL THEN
        SELECT s.next_at INTO _due_at
          FROM board.task_schedules AS s
         WHERE s.next_at IS NOT NULL
           AND s.paused_at IS NULL
           AND s.kind <> ALL (without)
           AND (s.waits_for IS NULL
                OR NOT EXISTS (SELECT FROM board.tasks AS t
                                WHERE t.id = s.waits_for AND t.finished_at IS NULL))
         ORDER BY s.next_at
         LIMIT 1;
    ELSE
        SELECT s.next_at INTO _due_at
          FROM board.task_schedules AS s
         WHERE s.next_at IS NOT NULL
           AND s.paused_at IS NULL
           AND s.kind = _schedule_due.kind
           AND (s.waits_for IS NULL
                OR NOT EXISTS (SELECT FROM board.tasks AS t
                                WHERE t.id = s.waits_for AND t.finished_at IS NULL))
         ORDER BY s.next_at
         LIMIT 1;
    END IF;
    RETURN _due_at;
END;
$$;

COMMENT ON FUNCTION board._schedule_due IS
    'Private: the next occurrence of the schedules of a kind; kind NULL: of all but some kinds.';
