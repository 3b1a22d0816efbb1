CREATE OR REPLACE FUNCTION board.complete_many(
    ids   uuid[],
    agent text)
RETURNS SETOF uuid
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
    RETURN QUERY
        SELECT *
          FROM board._complete_many(
              board._acting_agent(complete_many.agent), complete_many.ids);
END;
$$;

COMMENT ON FUNCTION board.complete_many IS
$$Finishes those of the tasks that the agent still holds, without a result, and returns their ids in
id order. The others are left alone: compare what came back with what was passed.

ids    uuid[] of tasks
agent  name they were claimed under

Errors: 22023 for an argument out of range, or when settings.require_attempt is on (then complete
each with its attempt); 42501 for a name that is another role's.
Example: SELECT board.complete_many(ARRAY['0190b6e2-…', '0190b6e3-…']::uuid[], 'agent-7');$$;
