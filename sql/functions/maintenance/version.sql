CREATE OR REPLACE FUNCTION board.version()
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT '@EXTVERSION@'::text;
$$;

COMMENT ON FUNCTION board.version() IS
$$The release of board whose functions are installed here, as 'MAJOR.MINOR.PATCH'.

Example: SELECT board.version();$$;
