CREATE OR REPLACE FUNCTION board._request_maintenance(
    who       text,
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
    SELECT x.* INTO _a
      FROM jsonb_to_record(arguments) AS x (older_than interval, max_tasks int, topic text);
    CASE action
        WHEN 'prune' THEN
            _answer := to_jsonb(board._prune(who, _a.older_than, _a.max_tasks));
        WHEN 'version' THEN
            _answer := to_jsonb(board.version());
        WHEN 'help' THEN
            _answer := to_jsonb(board.help(_a.topic));
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_maintenance IS
    'Private: what request() does of the wing maintenance, with checked arguments.';
