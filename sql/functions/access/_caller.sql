CREATE OR REPLACE FUNCTION board._caller()
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- current_user is the owner inside SECURITY DEFINER, and a pool that uses SET ROLE has one
    -- session_user for everybody: the role in force is what the caller set, else who logged in.
    SELECT coalesce(nullif(current_setting('role'), 'none'), session_user::text);
$$;

COMMENT ON FUNCTION board._caller() IS 'Private: the database role behind the call.';
