CREATE OR REPLACE FUNCTION board._replace_event_horizon()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Before INSERT on event_horizon, a table of one row: the row that a fresh installation put
    -- there gives way to the one that a dump brings. It brings the old cluster's count of
    -- transactions too. Here every event that is gone was gone before this transaction; an older
    -- cursor cannot know.
    DELETE FROM board.event_horizon;
    NEW.pruned_xid := pg_current_xact_id();
    RETURN NEW;
END;
$$;

COMMENT ON FUNCTION board._replace_event_horizon IS
    'Private: trigger of event_horizon: an inserted row takes the place of the one that is there, '
    'so that a dump''s data can be restored into a fresh installation.';
