CREATE OR REPLACE FUNCTION board.claim_task(
    id    uuid,
    agent text,
    ttl   interval DEFAULT NULL)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN QUERY
        SELECT * FROM board._claim_task(
            board._acting_agent(claim_task.agent), claim_task.id, claim_task.ttl);
END;
$$;

COMMENT ON FUNCTION board.claim_task IS
$$Gives the agent this very task, if it is claimable (pending, due, or held under a lease that has
lapsed, and nothing about it paused, full or exhausted), and returns it; zero rows when it is not:
board.explain(id) tells why.

id     uuid of the task
agent  name of whoever works, 1 to 200 characters
ttl    interval, how long the lease lasts from now; positive, at most settings.max_ttl; NULL: 2
       minutes

Errors: TB002 no such task, 22023 for an argument out of range, 42501 for a name that is another
role's.
Example: SELECT * FROM board.claim_task('0190b6e2-…', 'maria', '30 minutes');$$;
