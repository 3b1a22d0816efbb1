CREATE OR REPLACE FUNCTION board.release_lock(
    resource text,
    agent    text,
    token    bigint)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._release_lock(board._acting_agent(release_lock.agent), release_lock.resource,
                               release_lock.token);
END;
$$;

COMMENT ON FUNCTION board.release_lock IS
$$Gives the lock back: true when it was yours until now; false when it was not any more (ended,
taken over, released before), which changes nothing. Others see it free when the transaction
commits.

resource  text, what is locked
agent     name it was taken under
token     bigint, what acquire_lock returned

Errors: 22023 for an argument out of range, 42501 for a name that is another role's. Never TB008.
Example: SELECT board.release_lock('order_123', 'agent-7', 42);$$;
