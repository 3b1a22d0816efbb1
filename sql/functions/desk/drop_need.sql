CREATE OR REPLACE FUNCTION board.drop_need(
    id       uuid,
    needs_id uuid,
    actor    text)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._drop_need(
        board._acting_agent(drop_need.actor, 'actor'), drop_need.id, drop_need.needs_id);
END;
$$;

COMMENT ON FUNCTION board.drop_need IS
$$Lets a task wait no longer for another one: a person has decided to go on without it. Returns
whether it waited for it. If nothing else is missing, the task is claimable at once.

id        uuid of the task that waits
needs_id  uuid of the task that it waits for
actor     name of whoever decides

Errors: TB002 no such task, 22023 for an argument out of range, 42501 for a name that is another
role's.
Example: SELECT board.drop_need('0190b6e2-…', '0190b6e1-…', 'ann');$$;
