CREATE OR REPLACE FUNCTION board.check_lock(
    resource text,
    token    bigint)
RETURNS void
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _lock board.locks;
    _detail text;
BEGIN
    -- Locks the row of the resource, if it carries this token (_fenced_lock). It is kept to the end
    -- of the caller's transaction, and acquire_lock passes over a locked row: what the caller
    -- writes commits before anybody else can have the resource, also when the lock's time ends in
    -- between.
    IF board._fenced_lock(NULL, check_lock.resource, check_lock.token) THEN
        RETURN;
    END IF;
    SELECT l.* INTO _lock FROM board.locks AS l WHERE l.resource = check_lock.resource;
    IF _lock.token > check_lock.token THEN
        _detail := format('Token %s of "%s" is stale: "%s" has taken it since, under a later one.',
                          check_lock.token, check_lock.resource, _lock.agent);
    ELSIF _lock.token = check_lock.token THEN
        _detail := format('The lock on "%s" under token %s ended at %s.',
                          check_lock.resource, check_lock.token, _lock.held_until);
    ELSE
        _detail := format('Nobody holds "%s" under token %s.',
                          check_lock.resource, check_lock.token);
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = 'TB008',
        MESSAGE = 'fence stale',
        DETAIL = _detail,
        HINT = 'Write nothing and roll back. Take the lock again with board.acquire_lock(), read again, decide again.';
END;
$$;

COMMENT ON FUNCTION board.check_lock IS
$$For the transaction that writes: returns while the lock is held under this token, and keeps it
from being taken over until the transaction ends; TB008 otherwise, so that a holder who slept
through the end of his lock cannot overwrite what the next one wrote. Call it in the same
transaction as the write, before it.

resource  text, what is locked
token     bigint, what acquire_lock returned

Others are refused the resource, and its renewal waits, until the transaction ends: keep it short.
In REPEATABLE READ and SERIALIZABLE start it after acquire_lock has committed; a lock that has
changed since is 40001.

Errors: TB008 the lock has ended, was released or was taken over; 22023 for an argument out of
range.
Example: BEGIN; SELECT board.check_lock('order_123', 42); UPDATE orders SET …; COMMIT;$$;
