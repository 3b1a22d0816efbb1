CREATE OR REPLACE FUNCTION board.cancel(
    id         uuid,
    actor      text,
    note       jsonb   DEFAULT NULL,
    dependents boolean DEFAULT false)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._cancel(
        board._acting_agent(cancel.actor, 'actor'), cancel.id, cancel.note, cancel.dependents);
END;
$$;

COMMENT ON FUNCTION board.cancel IS
$$Closes any open task and returns 'cancelled'. An agent that holds it learns so at its next verb
(heartbeat NULL, the others TB001). Tasks that wait for it can never be unblocked by it: they go to
the human queue (need_cancelled), where retry runs them without it.

id          uuid of the task
actor       name of who decides, 1 to 200 characters
note        jsonb, kept in the log
dependents  boolean, true: all that need it are cancelled with it, and all that need those

Errors: TB002 no such task, TB003 finished already, 22023 for an argument out of range, 42501 for a
name that is another role's.
Example: SELECT board.cancel('0190b6e2-…', 'maria', '{"why": "ordered twice"}');$$;
