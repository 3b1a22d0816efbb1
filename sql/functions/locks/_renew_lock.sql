CREATE OR REPLACE FUNCTION board._renew_lock(
    who      text,
    resource text,
    token    bigint,
    ttl      interval)
RETURNS timestamptz
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
    PERFORM board._check_ttl(_renew_lock.ttl);
    IF NOT board._fenced_lock(who, _renew_lock.resource, _renew_lock.token) THEN
        RETURN NULL;
    END IF;
    _now := clock_timestamp();
    UPDATE board.locks AS l
       SET renewed_at = _now, held_until = _now + _renew_lock.ttl
     WHERE l.resource = _renew_lock.resource;
    RETURN _now + _renew_lock.ttl;
END;
$$;

COMMENT ON FUNCTION board._renew_lock IS
    'Private: body of renew_lock for the checked name who.';
