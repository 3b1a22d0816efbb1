CREATE OR REPLACE FUNCTION board._claim_escalated(
    who text,
    ttl interval,
    id  uuid)
RETURNS SETOF board.tasks
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _task board.tasks;
    _now timestamptz := clock_timestamp();
    _max_lapses int;
    _ids uuid[];
    _seen uuid[] := ARRAY[]::uuid[];
BEGIN
    -- A card is what is escalated at this moment, also where nobody has written that down yet: a
    -- person let it lapse, or its last lapse has come and no agent has claimed since (_status_at).
    -- Only the card that is given is put back first, so this is bounded however many lapsed.
    PERFORM board._check_writable('claim');
    PERFORM board._check_ttl(_claim_escalated.ttl);
    IF _claim_escalated.id IS NOT NULL THEN
        -- This very card: waits for its row.
        _task := board._task_for_update(_claim_escalated.id);
        _now := clock_timestamp();
        SELECT k.max_lapses INTO _max_lapses FROM board.kinds AS k WHERE k.name = _task.kind;
        IF board._status_at(_task.status, _task.run_at, _task.leased_until, _task.escalated_at,
                            _task.lapse_count, _max_lapses, _now) <> 'escalated' THEN
            RETURN;
        ELSIF NOT board._is_readable(ARRAY[_task.payload, _task.progress, _task.last_failure]) THEN
            PERFORM board._wrong_state(_task, 'hand out', 'One of its JSON values prints as more '
                'than 64 MB: cancel the task, or put another value in its place.');
        END IF;
    ELSE
        -- Lists the best without locks, then locks the first of them that nobody else has locked
        -- (SKIP LOCKED) and that is still a card: its person may have sent a heartbeat, another may
        -- have it. If all are gone, the next ones. One that no client could be given stays.
        LOOP
            _ids := board._human_heads(_seen, 100, _now);
            EXIT WHEN _ids = '{}';
            LOOP
                SELECT t.* INTO _task
                  FROM board.tasks AS t
                  LEFT JOIN board.kinds AS k ON k.name = t.kind
                 WHERE t.id = ANY (_ids)
                   AND t.id <> ALL (_seen)
                   AND board._status_at(t.status, t.run_at, t.leased_until, t.escalated_at,
                                        t.lapse_count, k.max_lapses, _now) = 'escalated'
                 ORDER BY ~t.priority, coalesce(t.escalated_at, t.leased_until), t.id
                 LIMIT 1
                   FOR UPDATE OF t SKIP LOCKED;
                EXIT WHEN NOT FOUND
                    OR board._is_readable(
                           ARRAY[_task.payload, _task.progress, _task.last_failure]);
                _seen := _seen || _task.id;
            END LOOP;
            EXIT WHEN FOUND;
            _seen := _seen || _ids;
        END LOOP;
        IF _ids = '{}' THEN
            RETURN;
        END IF;
    END IF;
    IF _task.status = 'in_progress' THEN
        PERFORM board._expire_task(who, _task);
    END IF;
    RETURN QUERY SELECT * FROM board._lease(who, _task.id, _claim_escalated.ttl);
END;
$$;

COMMENT ON FUNCTION board._claim_escalated IS
    'Private: body of claim_escalated for the checked name who.';
