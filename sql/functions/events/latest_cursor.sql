CREATE OR REPLACE FUNCTION board.latest_cursor()
RETURNS text
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._feed_id() || ':' || board._open_snapshot()::text;
END;
$$;

COMMENT ON FUNCTION board.latest_cursor IS
$$A cursor for board.events_since that stands at this moment: what is committed now is behind it,
what commits later is before it.

Errors: 0A000 on a standby.
Example: SELECT board.latest_cursor();$$;
