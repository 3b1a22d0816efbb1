CREATE OR REPLACE FUNCTION board.heartbeat(
    id       uuid,
    agent    text,
    ttl      interval DEFAULT NULL,
    progress jsonb    DEFAULT NULL,
    attempt  bigint   DEFAULT NULL)
RETURNS timestamptz
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._heartbeat(board._acting_agent(heartbeat.agent), heartbeat.id, heartbeat.ttl,
                            heartbeat.progress, heartbeat.attempt);
END;
$$;

COMMENT ON FUNCTION board.heartbeat IS
$$Extends the lease to now + ttl and returns its new end; NULL when the lease is not yours any more
(lapsed, taken over, cancelled, done): stop working then.

id        uuid of the task
agent     name it was claimed under
ttl       interval from now; positive, at most settings.max_ttl. It may also shorten the lease.
          NULL: as long as this lease was given for
progress  jsonb, shown to people; NULL leaves what was said before
attempt   bigint, the claim_count that claim returned; NULL: any, unless settings.require_attempt

Errors: 22023 for an argument out of range, 42501 for a name that is another role's. Never TB001,
TB002.
Example: SELECT board.heartbeat('0190b6e2-…', 'agent-7', progress => '{"page": 3}',
                               attempt => 1);$$;
