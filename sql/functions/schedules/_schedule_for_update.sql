CREATE OR REPLACE FUNCTION board._schedule_for_update(
    name     text,
    argument text DEFAULT 'name')
RETURNS board.task_schedules
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _schedule board.task_schedules;
BEGIN
    -- Waits for whoever is firing or changing it.
    PERFORM board._check_name(name, argument);
    SELECT s.* INTO _schedule
      FROM board.task_schedules AS s
     WHERE s.name = _schedule_for_update.name
       FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM board._invalid_argument(argument, format('names no schedule: "%s"', name),
            'TABLE board.schedules lists them; board.schedule() makes one.');
    END IF;
    RETURN _schedule;
END;
$$;

COMMENT ON FUNCTION board._schedule_for_update IS
    'Private: a schedule''s row, locked; 22023 when there is none of that name.';
