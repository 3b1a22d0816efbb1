CREATE OR REPLACE FUNCTION board.resume(
    target text,
    actor  text)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._set_paused(
        board._acting_agent(resume.actor, 'actor'), resume.target, false, NULL);
END;
$$;

COMMENT ON FUNCTION board.resume IS
$$Ends a pause and returns 'resumed' (also when it was not paused).

target  as for pause: 'board', 'kind:NAME', 'provider:NAME', 'schedule:NAME' or 'task:ID'
actor   name of who decides, 1 to 200 characters

Errors: 22023 for a target that is none of these, TB002 no such task, TB003 the task is not waiting,
42501 for a name that is another role's.
Example: SELECT board.resume('kind:send_invoice', 'maria');$$;
