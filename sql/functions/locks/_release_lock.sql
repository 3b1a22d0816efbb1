CREATE OR REPLACE FUNCTION board._release_lock(
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
    _now timestamptz;
BEGIN
    -- Locks the row of the resource, if it is who's (_fenced_lock); nobody changes it after that.
    -- The row stays: the next holder updates it in place, and if there is none it is swept away
    -- later.
    IF NOT board._fenced_lock(who, _release_lock.resource, _release_lock.token) THEN
        RETURN false;
    END IF;
    _now := clock_timestamp();
    UPDATE board.locks AS l SET held_until = _now WHERE l.resource = _release_lock.resource;
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board._release_lock IS
    'Private: body of release_lock for the checked name who.';
