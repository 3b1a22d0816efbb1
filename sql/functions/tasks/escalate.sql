CREATE OR REPLACE FUNCTION board.escalate(
    id      uuid,
    agent   text,
    payload jsonb DEFAULT NULL,
    attempt bigint DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._escalate(
        board._acting_agent(escalate.agent), escalate.id, escalate.payload, escalate.attempt);
END;
$$;

COMMENT ON FUNCTION board.escalate IS
$$Brings a task that the agent holds straight to the human queue and returns 'escalated'.

id       uuid of the task
agent    name it was claimed under
payload  jsonb, what a person has to know or decide
attempt  bigint, the claim_count that claim returned; NULL: any, unless settings.require_attempt

A lost answer may be asked for again, if attempt is passed: said again by the same agent for the
attempt that it ended it answers the same and changes nothing, also after the next claim, until
another attempt is ended so. Without attempt it may hit the next attempt, if the same agent has
claimed the task again.

Errors: TB001 the lease is lost, TB002 no such task, TB004 ended before with another payload, 22023
for an argument out of range, 42501 for a name that is another role's.
Example: SELECT board.escalate('0190b6e2-…', 'agent-7', '{"question": "refund over 1,000?"}',
                              attempt => 1);$$;
