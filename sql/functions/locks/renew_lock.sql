CREATE OR REPLACE FUNCTION board.renew_lock(
    resource text,
    agent    text,
    token    bigint,
    ttl      interval DEFAULT '2 minutes')
RETURNS timestamptz
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN board._renew_lock(board._acting_agent(renew_lock.agent), renew_lock.resource,
                             renew_lock.token, renew_lock.ttl);
END;
$$;

COMMENT ON FUNCTION board.renew_lock IS
$$Holds the lock until now + ttl and returns that moment; NULL when it is not yours any more (ended,
taken over, released): stop working then. The token stays the same.

resource  text, what is locked
agent     name it was taken under
token     bigint, what acquire_lock returned
ttl       interval from now; positive, at most settings.max_ttl. It may also shorten the lock

A lock that has ended cannot be renewed, even if nobody has taken it since: take it again with
board.acquire_lock() and look at the resource again. Waits while a transaction that called
check_lock is open.

Errors: 22023 for an argument out of range, 42501 for a name that is another role's. Never TB008.
Example: SELECT board.renew_lock('order_123', 'agent-7', 42, '1 minute');$$;
