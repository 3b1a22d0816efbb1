CREATE OR REPLACE FUNCTION board.retry(
    id      uuid,
    actor   text,
    note    jsonb DEFAULT NULL,
    payload jsonb DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN board._retry(board._acting_agent(retry.actor, 'actor'), retry.id, retry.note,
                        retry.payload);
END;
$$;

COMMENT ON FUNCTION board.retry IS
$$Gives a task of the human queue back to the agents, its strikes and lapses cleared, and returns
'pending'. Also for a card that the actor himself took with claim_escalated.

id       uuid of the task
actor    name of who decides, 1 to 200 characters
note     jsonb, the answer: whoever claims the task next reads it in its column answer; kept in the
         log too
payload  jsonb, takes the place of the task's payload (the log has both); NULL: it stays

Errors: TB002 no such task, TB003 not in the human queue (or another person holds it), 22023 for an
argument out of range, 42501 for a name that is another role's.
Example: SELECT board.retry('0190b6e2-…', 'maria', '{"why": "the address is fixed"}');$$;
