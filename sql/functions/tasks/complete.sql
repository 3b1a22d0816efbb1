CREATE OR REPLACE FUNCTION board.complete(
    id      uuid,
    agent   text,
    result  jsonb DEFAULT NULL,
    attempt int   DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._complete(
        board._acting_agent(complete.agent), complete.id, complete.result, complete.attempt);
END;
$$;

COMMENT ON FUNCTION board.complete IS
$$Finishes a task that the agent holds and returns 'completed'. Said again with the same result by
the same agent it answers the same and does nothing, so a lost answer may be asked for again.

id       uuid of the task
agent    name it was claimed under
result   jsonb, kept with the task
attempt  int, the claim_count that claim returned; NULL: any, unless settings.require_attempt

Errors: TB001 the lease is lost, TB002 no such task, TB004 completed before with another result,
22023 for an argument out of range, 42501 for a name that is another role's.
Example: SELECT board.complete('0190b6e2-…', 'agent-7', '{"sent": true}', attempt => 1);$$;
