CREATE OR REPLACE FUNCTION board.release(
    id      uuid,
    agent   text,
    delay   interval DEFAULT '0',
    attempt bigint   DEFAULT NULL,
    needs   uuid[]   DEFAULT NULL)
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
        board._acting_agent(release.agent), release.id, release.delay, release.attempt,
        release.needs);
END;
$$;

COMMENT ON FUNCTION board.release IS
$$Hands a task that the agent holds back without a strike. Returns its new status: 'pending',
'scheduled' (with a delay), 'blocked' (until its needs are completed) or 'escalated' (a person held
it: back to the human queue).

id       uuid of the task
agent    name it was claimed under
delay    interval, 0 to 10 years: not claimable before
attempt  bigint, the claim_count that claim returned; NULL: any, unless settings.require_attempt
needs    uuid[] of tasks that must be completed before it is given out again: an agent that has
         enqueued subtasks goes on when they are done, with board.needed_results()

A lost answer may be asked for again, if attempt is passed: said again by the same agent for the
attempt that it ended it answers the same and changes nothing, also after the next claim, until
another attempt is ended so. Without attempt it may hit the next attempt, if the same agent has
claimed the task again.

Errors: TB001 the lease is lost, TB002 no such task or need, TB003 a need that is cancelled, or a
card of the human queue with needs; TB004 ended before with other needs; 22023 for an
argument out of range and for needs that would close a cycle (the detail spells it out); 42501 for a
name that is another role's.
Example: SELECT board.release('0190b6e2-…', 'agent-7', delay => '10 minutes', attempt => 1);$$;
