CREATE OR REPLACE FUNCTION board.fire_due()
RETURNS bigint
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Touches tasks first, as every verb without a name does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    RETURN board._fire_due(1000);
END;
$$;

COMMENT ON FUNCTION board.fire_due IS
$$Makes the tasks of all schedules that are due and returns how many it made, at most 1,000: when it
returns so many, call it again. claim() does the same, so it is needed only on a board where nobody
looks for work when something is due: call it once a minute from cron or pg_cron, as the bell.

Never waits: what another session is firing is left to it.

Example: SELECT board.fire_due();$$;
