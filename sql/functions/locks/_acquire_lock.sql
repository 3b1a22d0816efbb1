CREATE OR REPLACE FUNCTION board._acquire_lock(
    who      text,
    resource text,
    ttl      interval)
RETURNS bigint
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _snapshot_is_fixed boolean :=
        current_setting('transaction_isolation') IN ('repeatable read', 'serializable');
    _lock board.locks;
    _found boolean;
    _made boolean := false;
    _now timestamptz;
    _token bigint;
BEGIN
    -- Locks: the one row of the resource, with SKIP LOCKED. It waits in one place only, for a rival
    -- who is just making or sweeping that row, and there for a tenth of a second (_insert_lock): so
    -- a transaction that takes several resources can be refused one, but is never part of a
    -- deadlock.
    --
    -- Between the statements: after the look, the row may be taken, released, swept or made by
    -- others; the locking statement judges the row as it is when it gets it, and does not lock one
    -- that is somebody's (in a long transaction that would keep its holder from renewing). After
    -- the lock nobody else changes it, and only then is the token drawn: whoever has the row next
    -- draws a higher one. What was free at _now is free later: nothing but a new holding moves
    -- held_until ahead once it has passed, and that needs the row's lock.
    --
    -- enable_seqscan, here and in the other functions of this table: a session that planned while
    -- the table had one page would read all of it for ever after, however large it became.
    PERFORM board._check_name(_acquire_lock.resource, 'resource');
    PERFORM board._check_ttl(_acquire_lock.ttl);
    FOR _try IN 1 .. 4 LOOP
        -- Waiting agents ask again and again: a refusal is one look and writes nothing. Where the
        -- snapshot stays the same, the look may be old; there the lock answers, or fails with
        -- 40001.
        IF NOT _snapshot_is_fixed THEN
            SELECT l.* INTO _lock FROM board.locks AS l WHERE l.resource = _acquire_lock.resource;
            IF _lock.agent <> who AND _lock.held_until > clock_timestamp() THEN
                RETURN NULL;
            END IF;
        END IF;
        _now := clock_timestamp();
        SELECT l.* INTO _lock
          FROM board.locks AS l
         WHERE l.resource = _acquire_lock.resource
           AND (l.agent = who OR l.held_until <= _now)
           FOR UPDATE SKIP LOCKED;
        _found := FOUND;
        EXIT WHEN _found OR _try = 4;
        -- There is no such row, or it is somebody's, or somebody is at it.
        _made := board._insert_lock(who, _acquire_lock.resource);
        IF _made IS NULL THEN
            RETURN NULL;
        END IF;
    END LOOP;
    IF NOT _found THEN
        RETURN NULL;
    END IF;

    _now := clock_timestamp();
    _token := nextval('board.lock_tokens');
    UPDATE board.locks AS l
       SET agent = who,
           token = _token,
           acquired_at = _now,
           renewed_at = _now,
           held_until = _now + _acquire_lock.ttl,
           db_user = board._caller()
     WHERE l.resource = _acquire_lock.resource;

    -- Who adds a row takes away old ones. Where the snapshot is fixed, a row that somebody has just
    -- taken would be a 40001 about a resource that this call never named.
    IF _made AND NOT _snapshot_is_fixed THEN
        PERFORM board._delete_lapsed_locks();
    END IF;
    RETURN _token;
END;
$$;

COMMENT ON FUNCTION board._acquire_lock IS
    'Private: body of acquire_lock for the checked name who.';
