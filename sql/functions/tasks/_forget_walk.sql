CREATE OR REPLACE FUNCTION board._forget_walk()
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _memory text := coalesce(current_setting('board.walk', true), '');
BEGIN
    IF _memory <> '' THEN
        PERFORM set_config('board.walk', '', false);
    END IF;
    RETURN _memory LIKE '%walk%';
END;
$$;

COMMENT ON FUNCTION board._forget_walk IS
    'Private: makes this session walk from the very head again; false when it did already.';
