CREATE OR REPLACE FUNCTION board._make_room()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Before INSERT on a table of one row: the row that a fresh installation put there gives way to
    -- the one that a dump brings.
    IF TG_TABLE_NAME = 'settings' THEN
        DELETE FROM board.settings;
    ELSE
        DELETE FROM board.event_horizon;
        -- It brings the old cluster's count of transactions too. Here every event that is gone was
        -- gone before this transaction; an older cursor cannot know.
        NEW.pruned_xid := pg_current_xact_id();
    END IF;
    RETURN NEW;
END;
$$;

COMMENT ON FUNCTION board._make_room() IS
    'Private: trigger of settings and event_horizon: an inserted row takes the place of the one '
    'that is there, so that a dump''s data can be restored into a fresh installation.';
