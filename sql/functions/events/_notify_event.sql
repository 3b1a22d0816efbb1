CREATE OR REPLACE FUNCTION board._notify_event()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _notify text := (SELECT s.notify FROM board.settings AS s);
BEGIN
    -- Fires for events that a trigger wrote, never for restored ones.
    IF _notify = 'each'
       OR _notify = 'coalesced' AND board._notify_wakes_agents(NEW.type, NEW.kind) THEN
        PERFORM board._notify(json_build_object(
            'taskId', NEW.task_id, 'type', NEW.type, 'kind', NEW.kind, 'seq', NEW.seq)::text);
    END IF;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._notify_event IS
    'Private: trigger on task_events that sends one NOTIFY for the event, as settings.notify '
    'says: ids, never the payload, always far under 8,000 bytes.';
