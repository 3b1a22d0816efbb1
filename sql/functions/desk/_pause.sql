CREATE OR REPLACE FUNCTION board._pause(
    who    text,
    target text,
    reason text)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._set_paused(who, _pause.target, true, _pause.reason);
END;
$$;

COMMENT ON FUNCTION board._pause IS
    'Private: body of pause for the checked name who.';
