CREATE OR REPLACE FUNCTION board._walked()
RETURNS bigint
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN pg_stat_get_xact_tuples_returned('board.tasks_ready'::regclass)
        + pg_stat_get_xact_tuples_returned('board.tasks_ready_kind'::regclass)
        + pg_stat_get_xact_tuples_returned('board.tasks_due'::regclass)
        + pg_stat_get_xact_tuples_returned('board.tasks_due_kind'::regclass)
        + pg_stat_get_xact_tuples_returned('board.task_schedules_due'::regclass);
END;
$$;

COMMENT ON FUNCTION board._walked IS
    'Private: how many entries of the ready and due indexes this transaction has read, dead ones '
    'included.';
