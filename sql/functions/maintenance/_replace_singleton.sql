CREATE OR REPLACE FUNCTION board._replace_singleton()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Before INSERT on settings, a table of one row: the row that a fresh installation put there
    -- gives way to the one that a dump brings.
    DELETE FROM board.settings;
    RETURN NEW;
END;
$$;

COMMENT ON FUNCTION board._replace_singleton IS
    'Private: trigger of settings: an inserted row takes the place of the one that is there, so '
    'that a dump''s data can be restored into a fresh installation.';
