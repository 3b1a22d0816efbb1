CREATE OR REPLACE FUNCTION board._check_writable(verb text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Where there is nothing to take nothing is written: a standby would say so by zero rows for
    -- ever, and who asks would sleep on it.
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION USING
            ERRCODE = '25006',
            MESSAGE = format('cannot %s in a read-only transaction', verb),
            HINT = 'On a standby nothing can be claimed: connect to the primary.';
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_writable IS
    'Private: 25006 in a transaction that may not write, and so on a standby.';
