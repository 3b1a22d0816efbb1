CREATE OR REPLACE FUNCTION board._set_aside(
    who text,
    id  uuid)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- The caller has just given who the lease on this task and holds its row, and cannot return it:
    -- no client could be sent it, and each claim would fail on it again.
    PERFORM board._escalate(who, _set_aside.id, jsonb_build_object('error',
        'a JSON value of this task prints as more than 64 MB: cancel it, or put another in its place'),
        NULL, 'unreadable');
END;
$$;

COMMENT ON FUNCTION board._set_aside IS
    'Private: brings a task that was claimed and cannot be returned to the human queue, for the '
    'reason unreadable.';
