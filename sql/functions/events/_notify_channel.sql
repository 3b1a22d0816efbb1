CREATE OR REPLACE FUNCTION board._notify_channel()
RETURNS text
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- 'task_events' for the board in schema board; a further board in the same database has its
    -- own.
    RETURN (
        SELECT CASE WHEN n.nspname = 'board' THEN 'task_events'
                    ELSE n.nspname || '.task_events' END
          FROM pg_class AS c
          JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE c.oid = 'board.task_events'::regclass);
END;
$$;

COMMENT ON FUNCTION board._notify_channel IS
    'Private: the NOTIFY channel of this board: task_events, or SCHEMA.task_events in another '
    'schema than board.';
