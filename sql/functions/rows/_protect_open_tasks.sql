CREATE OR REPLACE FUNCTION board._protect_open_tasks()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.status IN ('completed', 'cancelled') THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = '55000',
        MESSAGE = 'an open task cannot be deleted',
        DETAIL = CASE TG_OP WHEN 'DELETE' THEN format('Task %s is %s.', OLD.id, OLD.status)
                            ELSE 'TRUNCATE would delete open tasks without a trace.' END,
        HINT = 'An operator closes a task with board.cancel(); board.prune() drops finished ones.';
END;
$$;

COMMENT ON FUNCTION board._protect_open_tasks IS
    'Private: trigger on tasks that refuses (55000) to delete an open task or to truncate: '
    'nothing leaves the board without a trace.';
