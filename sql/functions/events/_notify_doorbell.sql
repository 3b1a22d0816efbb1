CREATE OR REPLACE FUNCTION board._notify_doorbell()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _second int := extract(second FROM clock_timestamp())::int % 60;
BEGIN
    -- Its own row has done what it was for.
    --
    -- Deferred to commit: a ringer that rolled back later would swallow the others' bell. Whoever
    -- gets the row's lock rings; the others leave it to him. They have written their events by then
    -- and he is still in his commit, so whoever hears him finds them, or finds them still writing:
    -- a reader reads again until nobody writes events any more (see events_since). Nobody waits.
    -- The lock is a row's because nobody but this function can lock that row, whereas any role of
    -- the database can hold an advisory lock; and one row a second because a transaction that has
    -- come here early (SET CONSTRAINTS … IMMEDIATE) and stays open then silences a second of a
    -- minute, not the board. The same notification twice in a transaction is one.
    DELETE FROM board.doorbell_calls AS c WHERE c.id = NEW.id;
    PERFORM FROM board.doorbells AS d WHERE d.second = _second FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        PERFORM board._notify(
            '{"taskId": null, "type": "doorbell", "kind": null, "seq": null}');
    END IF;
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._notify_doorbell IS
    'Private: deferred constraint trigger on doorbell_calls for settings.notify = coalesced: one '
    'notification at commit, unless another session is about to send one.';
