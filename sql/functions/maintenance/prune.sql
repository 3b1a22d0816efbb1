CREATE OR REPLACE FUNCTION board.prune(
    older_than interval,
    max_tasks  bigint DEFAULT 10000)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN board._prune(NULL, prune.older_than, prune.max_tasks);
END;
$$;

COMMENT ON FUNCTION board.prune IS
$$Drops finished (completed or cancelled) tasks and returns how many. Their events stay. Usage
records (board.usage) as old, of no task that is still here, are dropped too, at most ten times as
many. Call it until it returns less than max_tasks; that call also forgets the names of kinds
without tasks.

older_than  interval since the task was finished; not negative
max_tasks   bigint, 1 to 1,000,000, most to drop in this call

Errors: 22023 for an argument out of range.
Example: SELECT board.prune('30 days');$$;
