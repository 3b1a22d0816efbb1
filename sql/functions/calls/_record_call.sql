CREATE OR REPLACE FUNCTION board._record_call(
    call       board.calls,
    supersedes int DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
BEGIN
    -- The caller holds the task's lock, so the number is free. Only a REPEATABLE READ snapshot
    -- older than that lock can think so wrongly, and there ON CONFLICT turns what would be a
    -- duplicate key into the serialization failure that it is. The mark on the superseded call does
    -- the same for a finish_call of that call whose snapshot is older than this one.
    INSERT INTO board.calls (task_id, step, number, mode, decision, attempt, agent, idempotency_key,
                             provider, account, cost, usage_id, url, body, began_at, finished_at,
                             finished_by, succeeded, late, response)
    VALUES (call.task_id, call.step, call.number, call.mode, call.decision, call.attempt,
            call.agent, call.idempotency_key, call.provider, call.account, call.cost,
            call.usage_id, call.url, call.body, _now, call.finished_at, call.finished_by,
            call.succeeded, coalesce(call.late, false), call.response)
        ON CONFLICT ON CONSTRAINT calls_pkey DO NOTHING;
    UPDATE board.calls AS c
       SET superseded_by = call.number
     WHERE c.task_id = call.task_id AND c.step = call.step AND c.number = supersedes;
END;
$$;

COMMENT ON FUNCTION board._record_call IS
    'Private: writes one row of board.calls and marks the call of that number as followed by '
    'it; the caller has locked the task.';
