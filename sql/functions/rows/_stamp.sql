CREATE OR REPLACE FUNCTION board._stamp(
    who  text  DEFAULT NULL,
    type text  DEFAULT NULL,
    note jsonb DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- xid, pid and at say which change of which transaction it was: a row that a restore brings
    -- back carries another transaction's stamp, a change typed by hand leaves the stamp as it is.
    RETURN jsonb_build_object(
        'xid', pg_current_xact_id()::text,
        'pid', pg_backend_pid(),
        'at', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
        'actor', who, 'type', type, 'note', note);
END;
$$;

COMMENT ON FUNCTION board._stamp IS
    'Private: the value for tasks.stamp: who makes this change, as which event, with what note.';
