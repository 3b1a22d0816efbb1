CREATE OR REPLACE FUNCTION board.version()
RETURNS text
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT r.version FROM board.releases AS r ORDER BY r.installed_at DESC LIMIT 1);
END;
$$;

COMMENT ON FUNCTION board.version IS
$$The release of board that is installed here, as 'MAJOR.MINOR.PATCH'.

Example: SELECT board.version();$$;
