CREATE OR REPLACE FUNCTION board.release(
    id      uuid,
    agent   text,
    delay   interval DEFAULT '0',
    attempt bigint   DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._release(
        board._acting_agent(release.agent), release.id, release.delay, release.attempt);
END;
$$;

COMMENT ON FUNCTION board.release IS
$$Hands a task that the agent holds back without a strike. Returns its new status: 'pending',
'scheduled' (with a delay) or 'escalated' (a person held it: back to the human queue).

id       uuid of the task
agent    name it was claimed under
delay    interval, 0 to 10 years: not claimable before
attempt  bigint, the claim_count that claim returned; NULL: any, unless settings.require_attempt

Errors: TB001 the lease is lost, TB002 no such task, 22023 for an argument out of range, 42501 for a
name that is another role's.
Example: SELECT board.release('0190b6e2-…', 'agent-7', delay => '10 minutes');$$;
