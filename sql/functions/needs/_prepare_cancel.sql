CREATE OR REPLACE FUNCTION board._prepare_cancel(
    id    uuid,
    whole boolean)
RETURNS uuid[]
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _before record;
    _after record;
BEGIN
    -- Locks: all that the cancelling touches (_cancel_scope), all or none. It is looked up before
    -- the locks and again after them, in a new statement. A task can begin to wait for one of these
    -- only under that one's lock, so the second look is final; if it finds more, the savepoint
    -- gives everything back, and all is tried again.
    LOOP
        SELECT s.* INTO _before FROM board._cancel_scope(_prepare_cancel.id, whole) AS s;
        BEGIN
            PERFORM board._tasks_for_update(_before.wanted);
            SELECT s.* INTO _after FROM board._cancel_scope(_prepare_cancel.id, whole) AS s;
            IF _after.wanted <@ _before.wanted THEN
                RETURN _after.ending;
            END IF;
            RAISE EXCEPTION 'give the rows back';
        EXCEPTION
            WHEN raise_exception THEN
                NULL;
        END;
    END LOOP;
END;
$$;

COMMENT ON FUNCTION board._prepare_cancel IS
    'Private: locks a task with everything that its cancelling touches, and returns the tasks that '
    'end with it: itself and (whole) all that need it, and so on.';
