CREATE OR REPLACE FUNCTION board.enqueue_many(
    kind     text,
    payloads jsonb[],
    priority bigint      DEFAULT 0,
    run_at   timestamptz DEFAULT NULL)
RETURNS SETOF uuid
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT * FROM board._enqueue_many(NULL, enqueue_many.kind, enqueue_many.payloads,
                                          enqueue_many.priority, enqueue_many.run_at);
END;
$$;

COMMENT ON FUNCTION board.enqueue_many IS
$$Puts one task per payload on the board, in one statement, and returns their ids in that order.

kind      name of the sort of task, 1 to 200 characters
payloads  jsonb[], one task each; no NULLs
priority  bigint, for all of them
run_at    timestamptz, for all of them; NULL: at once

Errors: 22023 for an argument out of range.
Example: SELECT board.enqueue_many('resize', ARRAY['{"file": 1}', '{"file": 2}']::jsonb[]);$$;
