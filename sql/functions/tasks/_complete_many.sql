CREATE OR REPLACE FUNCTION board._complete_many(
    who text,
    ids uuid[])
RETURNS SETOF uuid
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz;
    _stamp jsonb;
BEGIN
    -- Locks the tasks one after the other in id order, waiting for each, so that two calls with the
    -- same tasks cannot deadlock; each lease is judged by the clock after its own lock.
    PERFORM board._check_attempt(NULL);
    PERFORM board._invalid_argument('ids', 'is NULL', 'Pass an array of task ids.')
      WHERE _complete_many.ids IS NULL;
    FOR _task IN
        SELECT t.* FROM board.tasks AS t
         WHERE t.id = ANY (_complete_many.ids)
         ORDER BY t.id
           FOR UPDATE
    LOOP
        _now := clock_timestamp();
        CONTINUE WHEN NOT board._holds_lease(_task, who, NULL, _now);
        _stamp := board._stamp(who, 'completed');
        UPDATE board.tasks AS t
           SET status = 'completed',
               result = NULL,
               leased_by = NULL,
               leased_until = NULL,
               finished_at = _now,
               finished_by = who,
               stamp = _stamp
         WHERE t.id = _task.id;
        RETURN NEXT _task.id;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._complete_many IS
    'Private: body of complete_many for the checked name who.';
