CREATE OR REPLACE FUNCTION board.claim_escalated(
    agent text,
    ttl   interval DEFAULT '1 hour',
    id    uuid     DEFAULT NULL)
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
        SELECT * FROM board._claim_escalated(board._acting_agent(claim_escalated.agent),
                                             claim_escalated.ttl, claim_escalated.id);
END;
$$;

COMMENT ON FUNCTION board.claim_escalated IS
$$Gives a person a card from the human queue: the one asked for, or the one with the highest
priority that has waited longest. Returns it, or zero rows when there is none (or that one is not
in the queue). When the lease lapses, or the person fails or releases the task, it goes back to
the human queue, never among the agents. Leave it with complete, retry or cancel.

agent  name of the person, 1 to 200 characters
ttl    interval, how long the lease lasts from now; positive, at most settings.max_ttl
id     uuid of the task; NULL: the next one

Errors: TB002 no such task, 22023 for an argument out of range, 42501 for a name that is another
role's.
Example: SELECT id, kind, last_failure FROM board.claim_escalated('maria');$$;
