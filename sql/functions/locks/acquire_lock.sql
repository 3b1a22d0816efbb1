CREATE OR REPLACE FUNCTION board.acquire_lock(
    resource text,
    agent    text,
    ttl      interval DEFAULT '2 minutes')
RETURNS bigint
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN board._acquire_lock(board._acting_agent(acquire_lock.agent), acquire_lock.resource,
                               acquire_lock.ttl);
END;
$$;

COMMENT ON FUNCTION board.acquire_lock IS
$$Gives the agent the lock on a resource until now + ttl and returns its fencing token, higher than
every token given out before; NULL when somebody else holds it (try again later). Never waits longer
than a moment, never deadlocks.

resource  text, any name of 1 to 200 characters, compared byte by byte
agent     name of whoever takes it
ttl       interval, how long it is held unless renewed; positive, at most settings.max_ttl

An agent that holds the resource already gets it anew, under a new token: from then on the old token
is stale. So a restarted agent need not wait for itself, and two workers must not share a name.
Take it in a transaction of its own: it is yours for others to see when that commits, and gone when
it rolls back. Write under it with board.check_lock().

Errors: 22023 for an argument out of range, 42501 for a name that is another role's.
Example: SELECT board.acquire_lock('order_123', 'agent-7', '1 minute');
Fencing tokens: M. Kleppmann, "How to do distributed locking" (2016).$$;
