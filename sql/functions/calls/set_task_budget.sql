CREATE OR REPLACE FUNCTION board.set_task_budget(
    id    uuid,
    actor text,
    units jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN board._set_task_budget(board._acting_agent(set_task_budget.actor, 'actor'),
                                  set_task_budget.id, set_task_budget.units);
END;
$$;

COMMENT ON FUNCTION board.set_task_budget IS
$$Sets what the calls of this one task may use in all, in place of its kind's task_budget in the
units that are named. Returns it; NULL when the task has none of its own.

id     uuid of the task
actor  who decides
units  jsonb, unit and amount: '{"token": 500000}'; NULL or {}: only the kind's holds

A call that would pass the budget is not granted (begin_call: over_budget) and its task goes to the
human queue, reason budget. Allow it more, then board.retry(); what it has used so far counts.

Errors: TB002 no such task, 22023 for a malformed argument, 42501 for a name that is another role's.
Example: SELECT board.set_task_budget('0190b6e2-…', 'maria', '{"token": 500000}');$$;
