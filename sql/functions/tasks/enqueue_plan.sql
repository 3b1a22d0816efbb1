CREATE OR REPLACE FUNCTION board.enqueue_plan(
    tasks          jsonb,
    correlation_id text DEFAULT NULL)
RETURNS TABLE (name text, id uuid)
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT p.name, p.id
          FROM board._enqueue_plan(NULL, enqueue_plan.tasks, enqueue_plan.correlation_id) AS p;
END;
$$;

COMMENT ON FUNCTION board.enqueue_plan IS
$$Puts a whole plan on the board: tasks, and which of them wait for which. All or nothing. Returns
the name and the id of each task, in the plan's order.

tasks           jsonb, an array of 1 to 10,000 objects: name (1 to 200 characters, once in the
                plan), kind, payload, priority, run_at, unique_key as in enqueue, and needs: an
                array of names of this plan or ids of tasks on the board, that must be completed
                before
correlation_id  text, 1 to 400 characters, for all of them

A task whose unique key an open task has already is not made: that task takes its place in the plan,
and keeps its own needs.

Errors: 22023 names the place and the field that is wrong; also for a name that is doubled or
unknown, and for a cycle, which the detail spells out. TB002 for a need that nobody knows, TB003 for
one that is cancelled.
Example: SELECT * FROM board.enqueue_plan('[{"name": "draft", "kind": "write"},
             {"name": "check", "kind": "review", "needs": ["draft"]}]');$$;
