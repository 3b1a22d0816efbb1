CREATE OR REPLACE FUNCTION board._request_events(
    action    text,
    arguments jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _a record;
    _answer jsonb;
BEGIN
    SELECT x.* INTO _a FROM jsonb_to_record(arguments) AS x (since text, max_events int);
    CASE action
        WHEN 'events_since' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(e) ORDER BY e.seq), '[]') INTO _answer
              FROM board.events_since(_a.since, _a.max_events) AS e;
        WHEN 'latest_cursor' THEN
            _answer := to_jsonb(board.latest_cursor());
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_events IS
    'Private: what request() does of the wing events, with checked arguments.';
