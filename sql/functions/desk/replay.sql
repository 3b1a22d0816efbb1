CREATE OR REPLACE FUNCTION board.replay(
    id     uuid,
    actor  text,
    as_new boolean DEFAULT false)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._replay(board._acting_agent(replay.actor, 'actor'), replay.id, replay.as_new);
END;
$$;

COMMENT ON FUNCTION board.replay IS
$$Does a finished (completed or cancelled) task again and returns the id of the task to be done.
With the same id, its calls keep their idempotency keys: a step that succeeded is answered from
the board and not sent again. As a new task, everything is sent again under new keys.

id      uuid of the task
actor   name of who decides, 1 to 200 characters
as_new  boolean, false: the same task; true: a copy with an id of its own

Errors: TB002 no such task, TB003 not finished, or another open task holds its unique key; 22023 for
an argument out of range, 42501 for a name that is another role's.
Example: SELECT board.replay('0190b6e2-…', 'maria', as_new => true);$$;
