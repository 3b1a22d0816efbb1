CREATE OR REPLACE FUNCTION board._feed_id()
RETURNS text
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- A cursor counts transactions, which mean nothing elsewhere: not in another cluster, not in
    -- another database, not in a table restored beside, and not after a failover or a point-in-time
    -- recovery, where transactions may have been lost and their numbers are given out again.
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION USING
            ERRCODE = '0A000',
            MESSAGE = 'the feed cannot be read on a standby',
            DETAIL = 'Its snapshots do not tell which transactions are open on the primary.',
            HINT = 'Connect to the primary.';
    END IF;
    RETURN left(encode(sha256(convert_to(concat_ws('.',
        (SELECT c.system_identifier FROM pg_control_system() AS c),
        left(pg_walfile_name(pg_current_wal_lsn()), 8),
        (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()),
        'board.task_events'::regclass::oid), 'UTF8')), 'hex'), 12);
END;
$$;

COMMENT ON FUNCTION board._feed_id IS
    'Private: names this feed (cluster, timeline, database, table) in 12 hex digits; 0A000 on a '
    'standby.';
