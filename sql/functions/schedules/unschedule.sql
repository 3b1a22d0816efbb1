CREATE OR REPLACE FUNCTION board.unschedule(
    name  text,
    actor text)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._unschedule(board._acting_agent(unschedule.actor, 'actor'), unschedule.name);
END;
$$;

COMMENT ON FUNCTION board.unschedule IS
$$Removes a schedule and returns whether there was one. The tasks that it made stay as they are.

name   of the schedule
actor  name of who decides, 1 to 200 characters

Errors: 22023 for an argument out of range, 42501 for a name that is another role's.
Example: SELECT board.unschedule('nightly_report', 'maria');$$;
