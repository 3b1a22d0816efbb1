CREATE OR REPLACE FUNCTION board._fenced_lock(
    who      text,
    resource text,
    token    bigint)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _until timestamptz;
BEGIN
    -- Locks the row of the resource FOR UPDATE, if it carries this token (and, unless who is NULL,
    -- is this agent's): a holder of the past must not keep the present one from renewing. There is
    -- one index, the primary key, so the other conditions cannot lead the planner elsewhere. Waits
    -- for a renewal, a write under the fence or a takeover that is under way, and then judges the
    -- row as that left it. The clock is read when the lock is held: a lock that ended while this
    -- waited has ended. From here to the end of the transaction nobody can take the resource over.
    PERFORM board._check_name(_fenced_lock.resource, 'resource');
    IF _fenced_lock.token IS NULL THEN
        PERFORM board._invalid_argument('token', 'is NULL',
            'Pass the token that board.acquire_lock() returned.');
    END IF;
    -- Looked at first without the lock: whose lock has ended is told so and has locked nothing.
    IF NOT EXISTS (
        SELECT FROM board.locks AS l
         WHERE l.resource = _fenced_lock.resource
           AND l.token = _fenced_lock.token
           AND (who IS NULL OR l.agent = who)
           AND l.held_until > _now) THEN
        RETURN false;
    END IF;
    SELECT l.held_until INTO _until
      FROM board.locks AS l
     WHERE l.resource = _fenced_lock.resource
       AND l.token = _fenced_lock.token
       AND (who IS NULL OR l.agent = who)
       FOR UPDATE;
    RETURN coalesce(_until > clock_timestamp(), false);
END;
$$;

COMMENT ON FUNCTION board._fenced_lock IS
    'Private: locks the row of a resource that who (NULL: anybody) holds under that token, and '
    'tells whether it is still held.';
