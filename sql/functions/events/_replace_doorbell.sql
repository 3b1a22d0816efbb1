CREATE OR REPLACE FUNCTION board._replace_doorbell()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    DELETE FROM board.doorbells AS d WHERE d.second = NEW.second;
    RETURN NEW;
END;
$$;

COMMENT ON FUNCTION board._replace_doorbell IS
    'Private: trigger of doorbells: an inserted row takes the place of the one that is there, so '
    'that a dump''s data can be restored into a fresh installation.';
