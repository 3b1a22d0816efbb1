CREATE OR REPLACE FUNCTION board.claim(
    agent     text,
    ttl       interval DEFAULT '2 minutes',
    kinds     text[]   DEFAULT NULL,
    max_tasks int      DEFAULT 1)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN QUERY
        SELECT * FROM board._claim(
            board._acting_agent(claim.agent), claim.ttl, claim.kinds, claim.max_tasks);
END;
$$;

COMMENT ON FUNCTION board.claim IS
$$Gives the agent the next claimable task or tasks, each with a lease, and returns them; zero rows
when there is nothing.

agent      name of whoever works, 1 to 200 characters
ttl        interval, how long the lease lasts from now; positive, at most settings.max_ttl
kinds      text[], the kinds wanted; NULL: all
max_tasks  int, 1 to 1000

Claimable is what is pending, due, or held under a lease that has lapsed, unless the board, the
kind, its provider or the task is paused, the kind is at max_in_progress, or its provider has no
budget. Higher priority first, then the older task. claim_count of a returned row is the attempt:
pass it to the other verbs. Complete, fail, release or extend (heartbeat) before leased_until.

Errors: 22023 for an argument out of range, 42501 for a name that is another role's.
Example: SELECT id, payload, claim_count FROM board.claim('agent-7', '2 minutes');$$;
