CREATE OR REPLACE FUNCTION board.reprioritize(
    id       uuid,
    actor    text,
    priority bigint)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._reprioritize(board._acting_agent(reprioritize.actor, 'actor'), reprioritize.id,
                               reprioritize.priority);
END;
$$;

COMMENT ON FUNCTION board.reprioritize IS
$$Gives an open task another priority and returns it.

id        uuid of the task
actor     name of who decides, 1 to 200 characters
priority  bigint, higher is claimed first

Errors: TB002 no such task, TB003 finished already, 22023 for an argument out of range, 42501 for a
name that is another role's.
Example: SELECT board.reprioritize('0190b6e2-…', 'maria', 9);$$;
