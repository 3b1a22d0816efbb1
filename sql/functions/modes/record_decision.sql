CREATE OR REPLACE FUNCTION board.record_decision(
    task_id  uuid,
    agent    text,
    step     text,
    decision jsonb,
    attempt  bigint DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._record_decision(
        board._acting_agent(record_decision.agent), record_decision.task_id, record_decision.step,
        record_decision.decision, record_decision.attempt);
END;
$$;

COMMENT ON FUNCTION board.record_decision IS
$$Records what the new automation decided at a step that makes no call, so that it can be compared
with what the old one did. begin_call does it by itself with its request.

task_id   the task; its correlation_id ties the decision to the outside event
agent     who holds it
step      name of the step, 1 to 200 characters; not one that begin_call uses too
decision  the decision as JSON; JSON null for "nothing", never SQL NULL
attempt   claim_count of the claim; required where settings.require_attempt is on

Returns the verdict: matched, diverged, ignored (differs at ignored paths only) or missing (the
other side is not there yet); conflict when another decision stands for that step already (the
first one stands, this one is kept in board.comparison_evidence); live when the kind is live: then
there is nothing to compare with and nothing is recorded. The same decision again changes nothing.
Raises TB001 when the lease is not yours, TB002 when there is no such task, 22023 for an argument
that is NULL or malformed, 42501 for an agent name that is another role's.

SELECT board.record_decision(task_id => '0197a0c0-0000-7000-8000-000000000001', agent =>
    'agent-7', step => 'late_fee', decision => '{"cents": 101}');$$;
