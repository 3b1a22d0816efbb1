CREATE OR REPLACE FUNCTION board._request_access(
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
      FROM jsonb_to_record(arguments) AS x (
           key_name text, message_id text, body text, headers jsonb, tolerance interval);
    CASE action
        WHEN 'sign' THEN
            _answer := board.sign(_a.key_name, _a.message_id, _a.body);
        WHEN 'verify' THEN
            _answer := to_jsonb(board.verify(_a.key_name, _a.headers, _a.body, _a.tolerance));
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_access IS
    'Private: what request() does of the wing access, with checked arguments.';
