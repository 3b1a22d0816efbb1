CREATE OR REPLACE FUNCTION board._notify_event()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _notify text;
BEGIN
    -- An event from before this transaction was brought back by a restore: it is no news. The
    -- doorbell is rung at commit, by the trigger of the row that is inserted here: a deferred
    -- trigger on the log itself would cost every event, whatever settings.notify says.
    IF NEW.created_at < transaction_timestamp() THEN
        RETURN NULL;
    END IF;
    _notify := (SELECT s.notify FROM board.settings AS s);
    IF _notify = 'each'
       OR _notify = 'coalesced' AND board._notify_wakes_agents(NEW.type, NEW.kind) THEN
        PERFORM board._notify(json_build_object(
            'taskId', NEW.task_id, 'type', NEW.type, 'kind', NEW.kind, 'seq', NEW.seq)::text);
    END IF;
    IF _notify = 'coalesced' THEN
        INSERT INTO board.doorbell_calls DEFAULT VALUES;
    END IF;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._notify_event IS
    'Private: trigger on task_events that sends one NOTIFY for the event, as settings.notify '
    'says: ids, never the payload, always far under 8,000 bytes.';
