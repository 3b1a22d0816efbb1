CREATE OR REPLACE FUNCTION board._request_views(
    action    text,
    arguments jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _private CONSTANT text[] := ARRAY['rank', 'due_at', 'turn', 'change'];
    _a record;
    _answer jsonb;
BEGIN
    SELECT x.* INTO _a FROM jsonb_to_record(arguments) AS x (id uuid, max_tasks int);
    IF action IN ('queue', 'active', 'human_queue') THEN
        PERFORM board._check_count(_a.max_tasks, 'max_tasks', 10000);
    END IF;
    CASE action
        WHEN 'task' THEN
            SELECT to_jsonb(t) - _private INTO _answer FROM board.tasks AS t WHERE t.id = _a.id;
            IF NOT FOUND THEN
                PERFORM board._task_not_found(_a.id);
            END IF;
        WHEN 'queue' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(v)), '[]') INTO _answer
              FROM (SELECT q.* FROM board.queue AS q LIMIT _a.max_tasks) AS v;
        WHEN 'active' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(v)), '[]') INTO _answer
              FROM (SELECT a.* FROM board.active AS a LIMIT _a.max_tasks) AS v;
        WHEN 'human_queue' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(v)), '[]') INTO _answer
              FROM (SELECT h.* FROM board.human_queue AS h LIMIT _a.max_tasks) AS v;
        WHEN 'history' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(h) ORDER BY h.seq), '[]') INTO _answer
              FROM board.history AS h
             WHERE h.task_id = _a.id;
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_views IS
    'Private: what request() reads for its caller, with checked arguments.';
