CREATE OR REPLACE FUNCTION board._caller()
RETURNS text
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- current_user is the owner inside SECURITY DEFINER, and a pool that uses SET ROLE has one
    -- session_user for everybody: the role in force is what the caller set, else who logged in.
    RETURN coalesce(nullif(current_setting('role'), 'none'), session_user::text);
END;
$$;

COMMENT ON FUNCTION board._caller IS 'Private: the database role behind the call.';
