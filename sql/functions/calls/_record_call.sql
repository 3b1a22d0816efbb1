CREATE OR REPLACE FUNCTION board._record_call(call board.calls)
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
    -- duplicate key into the serialization failure that it is.
    INSERT INTO board.calls (task_id, step, number, mode, decision, attempt, agent, idempotency_key,
                             provider, account, cost, url, body, began_at, finished_at, finished_by,
                             succeeded, late, response)
    VALUES (call.task_id, call.step, call.number, call.mode, call.decision, call.attempt, call.agent,
            call.idempotency_key, call.provider, call.account, call.cost, call.url, call.body, _now,
            CASE WHEN call.succeeded IS NOT NULL THEN _now END, call.finished_by,
            call.succeeded, coalesce(call.late, false), call.response)
        ON CONFLICT ON CONSTRAINT calls_pkey DO NOTHING;
END;
$$;

COMMENT ON FUNCTION board._record_call(board.calls) IS
    'Private: writes one row of board.calls, stamped with the clock; the caller has locked its task.';
