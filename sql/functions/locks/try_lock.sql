CREATE OR REPLACE FUNCTION board.try_lock(resource text)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Takes a transaction-level advisory lock or none; never waits.
    PERFORM board._check_name(try_lock.resource, 'resource');
    RETURN pg_try_advisory_xact_lock(board.lock_key(try_lock.resource));
END;
$$;

COMMENT ON FUNCTION board.try_lock IS
$$Locks a resource until the end of this transaction (nothing can give it back before):
true when it is yours, false when another session has it. Never waits. Gone with commit, rollback
(also to a savepoint before it) or crash; the same session may take it again.

resource  text, any name of 1 to 200 characters

Read what it protects in a later statement than this one, or the read may be older than the lock; in
REPEATABLE READ and SERIALIZABLE start the transaction with it (what you then change may be 40001).
It knows nothing of acquire_lock: agents must agree on one of the two. The server's memory bounds
how many such locks are held at once (max_locks_per_transaction times max_connections, 53200
beyond).

Errors: 22023 for an argument out of range.
Example: SELECT board.try_lock('order_123');$$;
