CREATE OR REPLACE FUNCTION board._notify(message text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- A notification is a hint and must not undo what it announces: with a full queue the commit
    -- itself would fail, and any role of any database can fill it (a session that has said LISTEN
    -- and stays in a transaction, another that notifies). The last tenth is left to what other
    -- transactions send between this look and this commit. pg_notify takes its cluster-wide lock at
    -- commit, not here. The channel is task_events for the board in schema board, and
    -- SCHEMA.task_events elsewhere: the installer writes the schema's name into the literals, and
    -- not into the one in two pieces.
    IF pg_notification_queue_usage() <= 0.9 THEN
        PERFORM pg_notify(
            CASE 'board.task_events' WHEN 'boar' || 'd.task_events' THEN 'task_events'
                                     ELSE 'board.task_events' END, message);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._notify IS
    'Private: sends a notification on this board''s channel (task_events, or SCHEMA.task_events in '
    'another schema than board), unless more than 90 % of the server''s queue is in use.';
