CREATE OR REPLACE FUNCTION board.complete(
    id      uuid,
    agent   text,
    result  jsonb  DEFAULT NULL,
    attempt bigint DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
BEGIN
    -- Nearly always one statement: whose lease it is and what the board demands are judged in it.
    -- It finds the row by primary key alone (the other conditions stand in a CASE, where no partial
    -- index can be chosen for them), and locks nothing that is not the agent's. If it waits for the
    -- row, PostgreSQL judges the row as committed, and the log's trigger holds the lease against
    -- the clock once more. What it does not do (a name that is bound, an answer asked for again, a
    -- refusal) is _complete's.
    IF result IS NOT NULL THEN
        PERFORM board._check_payload(complete.result, 'result');
    END IF;
    UPDATE board.tasks AS t
       SET status = 'completed',
           result = complete.result,
           leased_by = NULL,
           leased_until = NULL,
           finished_at = _now,
           finished_by = agent,
           due_at = NULL,
           turn = t.turn + 1,
           change = NULL
     WHERE t.id = CASE WHEN (
               SELECT NOT s.names_bound AND NOT s.require_registered_agents
                      AND (attempt IS NOT NULL OR NOT s.require_attempt)
                 FROM board.settings AS s) THEN complete.id END
       AND CASE WHEN t.status = 'in_progress' AND t.leased_by = agent AND t.leased_until > _now
           THEN t.dependents = 0 AND (attempt IS NULL OR t.claim_count = attempt)
           ELSE false END;
    IF FOUND THEN
        RETURN 'completed';
    END IF;
    RETURN board._complete(
        board._acting_agent(complete.agent), complete.id, complete.result, complete.attempt);
END;
$$;

COMMENT ON FUNCTION board.complete IS
$$Finishes a task that the agent holds and returns 'completed'. Said again with the same result by
the same agent it answers the same and does nothing, so a lost answer may be asked for again.

id       uuid of the task
agent    name it was claimed under
result   jsonb, kept with the task
attempt  bigint, the claim_count that claim returned; NULL: any, unless settings.require_attempt

Errors: TB001 the lease is lost, TB002 no such task, TB004 completed before with another result,
22023 for an argument out of range, 42501 for a name that is another role's.
Example: SELECT board.complete('0190b6e2-…', 'agent-7', '{"sent": true}', attempt => 1);$$;
