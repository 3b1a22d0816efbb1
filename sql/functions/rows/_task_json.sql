CREATE OR REPLACE FUNCTION board._task_json(task board.tasks)
RETURNS jsonb
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT to_jsonb(task) - ARRAY['rank', 'due_at', 'turn', 'change', 'ended'];
$$;

COMMENT ON FUNCTION board._task_json IS
    'Private: a task as its readers see it, as a JSON object; without what is the log''s own.';
