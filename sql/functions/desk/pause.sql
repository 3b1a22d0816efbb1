CREATE OR REPLACE FUNCTION board.pause(
    target text,
    actor  text,
    reason text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._set_paused(
        board._acting_agent(pause.actor, 'actor'), pause.target, true, pause.reason);
END;
$$;

COMMENT ON FUNCTION board.pause IS
$$Withholds work from agents until resume, and returns 'paused' (also when it was paused before: who
paused it first, and why, stays). What is in progress may finish.

target  'board', 'kind:NAME', 'provider:NAME' (either may be a name not seen yet), 'schedule:NAME'
        or 'task:ID' (a task that is pending or scheduled)
actor   name of who decides, 1 to 200 characters
reason  text of at most 10,000 characters, shown by board.explain(); of a single task, by
        board.history

Errors: 22023 for a target that is none of these or a schedule that is none, TB002 no such task,
TB003 the task is not waiting, 42501 for a name that is another role's.
Example: SELECT board.pause('kind:send_invoice', 'maria', 'wrong VAT rate');$$;
