CREATE OR REPLACE FUNCTION board._settings()
RETURNS board.settings
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT s FROM board.settings AS s;
$$;

COMMENT ON FUNCTION board._settings() IS 'Private: the one row of board.settings.';
