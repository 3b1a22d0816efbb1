CREATE OR REPLACE FUNCTION board._request_looks(
    bearer board.access_tokens,
    action text,
    given  jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _answer jsonb;
BEGIN
    -- Each look once, through its _show_ACTION; NULL, and nothing done, for any other action.
    CASE action
        WHEN 'task' THEN
            _answer := board._show_task((given ->> 'id')::uuid);
        WHEN 'queue' THEN
            _answer := board._show_queue((given ->> 'max_tasks')::int);
        WHEN 'active' THEN
            _answer := board._show_active((given ->> 'max_tasks')::int);
        WHEN 'human_queue' THEN
            _answer := board._show_human_queue((given ->> 'max_tasks')::int);
        WHEN 'history' THEN
            _answer := board._show_history((given ->> 'id')::uuid);
        WHEN 'whoami' THEN
            _answer := board._show_whoami(bearer);
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_looks IS
    'Private: what request() shows of tables and views, with checked arguments; NULL for any other '
    'action.';
