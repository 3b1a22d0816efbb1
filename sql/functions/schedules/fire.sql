CREATE OR REPLACE FUNCTION board.fire(
    name  text,
    actor text)
RETURNS uuid
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._fire(board._acting_agent(fire.actor, 'actor'), fire.name);
END;
$$;

COMMENT ON FUNCTION board.fire IS
$$Makes a task of a schedule now, by hand, and returns its id. Its occurrences go on as they were:
this one comes on top. Also of a schedule that is paused or over. With overlap skip, while the task
made last is open, no second one is made and the id is that one's.

name   of the schedule
actor  name of who decides, 1 to 200 characters

Errors: 22023 when there is no such schedule, 42501 for a name that is another role's.
Example: SELECT board.fire('nightly_report', 'maria');$$;
