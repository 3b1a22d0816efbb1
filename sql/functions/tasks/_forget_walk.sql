CREATE OR REPLACE FUNCTION board._forget_walk()
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF coalesce(current_setting('board.walk', true), '') = '' THEN
        RETURN false;
    END IF;
    PERFORM set_config('board.walk', '', false);
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board._forget_walk IS
    'Private: makes this session walk from the very head again; false when it did already.';
