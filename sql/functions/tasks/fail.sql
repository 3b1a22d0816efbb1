CREATE OR REPLACE FUNCTION board.fail(
    id        uuid,
    agent     text,
    payload   jsonb    DEFAULT NULL,
    permanent boolean  DEFAULT false,
    retry_in  interval DEFAULT NULL,
    attempt   bigint   DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._fail(board._acting_agent(fail.agent), fail.id, fail.payload, fail.permanent,
                       fail.retry_in, fail.attempt);
END;
$$;

COMMENT ON FUNCTION board.fail IS
$$Gives a task that the agent holds a strike and hands it back. Returns its new status: 'pending'
(claimable at once), 'scheduled' (after a delay) or 'escalated' (the kind's max_failures is
reached, permanent, or a person held it).

id         uuid of the task
agent      name it was claimed under
payload    jsonb, what went wrong; people see it in the human queue
permanent  boolean, true: no use in trying again, straight to the human queue
retry_in   interval, 0 to 10 years, not before; NULL: the kind's retry_delay, doubled with each
           strike
attempt    bigint, the claim_count that claim returned; NULL: any, unless settings.require_attempt

A lost answer may be asked for again, if attempt is passed: said again by the same agent for the
attempt that it ended it answers the same and changes nothing, also after the next claim, until
another attempt is ended so. Without attempt a fail that is sent twice may strike the next attempt,
if the same agent has claimed the task again.

Errors: TB001 the lease is lost, TB002 no such task, TB004 ended before with another payload, 22023
for an argument out of range, 42501 for a name that is another role's.
Example: SELECT board.fail('0190b6e2-…', 'agent-7', '{"error": "timeout"}', attempt => 1);$$;
