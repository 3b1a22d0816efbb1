CREATE OR REPLACE FUNCTION board._request_maintenance(
    who    text,
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
    -- Each action once, with what _arguments checked; NULL, and nothing done, for any other.
    CASE action
        WHEN 'events_since' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(e) ORDER BY e.seq), '[]') INTO _answer
              FROM board.events_since(given ->> 'since', (given ->> 'max_events')::bigint) AS e;
        WHEN 'latest_cursor' THEN
            _answer := to_jsonb(board.latest_cursor());
        WHEN 'prune' THEN
            _answer := to_jsonb(board._prune(
                who, (given ->> 'older_than')::interval, (given ->> 'max_tasks')::bigint));
        WHEN 'version' THEN
            _answer := to_jsonb(board.version());
        WHEN 'help' THEN
            _answer := to_jsonb(board.help(given ->> 'topic'));
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_maintenance IS
    'Private: what request() does of the wings events and maintenance, with checked arguments; NULL for '
    'an action of another wing.';
