CREATE OR REPLACE FUNCTION board._insert_lock(
    who      text,
    resource text)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '100ms'
AS $$
DECLARE
    _caller text := board._caller();
    _never CONSTANT timestamptz := '1970-01-01 00:00+00'::timestamptz;
    _rows int;
BEGIN
    -- Makes a row that nobody holds, which the caller then takes; its own uncommitted row is as
    -- good as locked. Token 0 stays unseen: a token drawn before this insert had succeeded could be
    -- lower than one that a rival draws, uses and gives back while the insert waits.
    --
    -- A unique index has no SKIP LOCKED: the insert waits for a rival who has made, changed or
    -- deleted this row and has not committed. Two transactions that take r1, r2 and r2, r1 would
    -- wait for each other, so the wait ends long before deadlock_timeout (1 s) looks for a victim,
    -- which could be the other one.
    INSERT INTO board.locks (resource, agent, token, acquired_at, renewed_at, held_until, db_user)
    VALUES (_insert_lock.resource, who, 0, _never, _never, _never, _caller)
        ON CONFLICT ON CONSTRAINT locks_pkey DO NOTHING;
    GET DIAGNOSTICS _rows = ROW_COUNT;
    RETURN _rows = 1;
EXCEPTION
    WHEN lock_not_available OR deadlock_detected THEN
        RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._insert_lock IS
    'Private: makes the row of a resource: true made, false there is one, NULL somebody is at '
    'it and was for longer than a moment.';
