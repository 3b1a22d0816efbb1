CREATE OR REPLACE FUNCTION board._current_xid()
RETURNS xid8
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Called immutable so that a generated column may use it: the value is computed once, when the
    -- row is written, which is all that is wanted. A dump leaves generated columns out, so a
    -- restored event carries the transaction that restored it.
    RETURN pg_current_xact_id();
END;
$$;

COMMENT ON FUNCTION board._current_xid IS
    'Private: the writing transaction, for the generated column task_events.xid.';
