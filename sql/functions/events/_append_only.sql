CREATE OR REPLACE FUNCTION board._append_only()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- The one exception: events older than settings.retain_events may go.
    IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'task_events' THEN
        IF OLD.created_at < clock_timestamp()
            - (SELECT s.retain_events FROM board.settings AS s) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = '55000',
        MESSAGE = format('%I.%I is append-only', TG_TABLE_SCHEMA, TG_TABLE_NAME),
        DETAIL = format('%s is refused for everybody, the owner included.', TG_OP),
        HINT = CASE TG_TABLE_NAME WHEN 'task_events'
            THEN 'Set settings.retain_events and call prune_events() to drop old events.'
            ELSE 'Rows of this table are kept for ever.' END;
END;
$$;

COMMENT ON FUNCTION board._append_only IS
    'Private: trigger on the append-only tables that refuses UPDATE, DELETE and TRUNCATE '
    '(55000), but for events older than settings.retain_events.';
