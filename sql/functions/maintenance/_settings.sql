CREATE OR REPLACE FUNCTION board._settings()
RETURNS board.settings
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _settings board.settings;
BEGIN
    SELECT s.* INTO _settings FROM board.settings AS s;
    RETURN _settings;
END;
$$;

COMMENT ON FUNCTION board._settings IS 'Private: the one row of board.settings.';
