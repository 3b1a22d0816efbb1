CREATE OR REPLACE FUNCTION board._notify_doorbell()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Deferred to commit: a ringer that rolled back later would swallow the others' bell. Whoever
    -- gets the lock rings; the others leave it to him, who still holds it while his commit runs. A
    -- reader therefore reads again until nobody writes events any more (see events_since). The same
    -- notification twice in a transaction is one.
    IF pg_try_advisory_xact_lock('board.task_events'::regclass::oid::int, 1) THEN
        PERFORM pg_notify(board._notify_channel(),
            '{"taskId": null, "type": "doorbell", "kind": null, "seq": null}');
    END IF;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._notify_doorbell IS
    'Private: deferred constraint trigger on task_events for settings.notify = coalesced: one '
    'notification at commit, unless another session is about to send one.';
