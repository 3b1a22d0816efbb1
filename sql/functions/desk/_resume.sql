CREATE OR REPLACE FUNCTION board._resume(
    who    text,
    target text)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._set_paused(who, _resume.target, false, NULL);
END;
$$;

COMMENT ON FUNCTION board._resume IS
    'Private: body of resume for the checked name who.';
