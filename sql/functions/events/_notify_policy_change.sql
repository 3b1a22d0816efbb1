CREATE OR REPLACE FUNCTION board._notify_policy_change()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- An operator's action that touches no task can make tasks claimable all the same: the end of a
    -- pause, a higher cap, a limit that is gone. An agent that sleeps until next_due(), which may
    -- be for ever, has to be told.
    IF (SELECT s.notify FROM board.settings AS s) <> 'off' THEN
        PERFORM board._notify(
            '{"taskId": null, "type": "doorbell", "kind": null, "seq": null}');
    END IF;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._notify_policy_change IS
    'Private: trigger on audit_log that rings the doorbell for actions that can make tasks '
    'claimable.';
