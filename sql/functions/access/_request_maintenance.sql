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
BEGIN
    SELECT x.* INTO _a FROM jsonb_to_record(arguments) AS x (older_than interval, max_tasks int);
    CASE action
        WHEN 'prune' THEN
            RETURN to_jsonb(board._prune(who, _a.older_than, _a.max_tasks));
        WHEN 'version' THEN
            RETURN to_jsonb(board.version());
    END CASE;
END;
$$;

COMMENT ON FUNCTION board._request_maintenance(text, text, jsonb) IS
    'Private: what request() does of the wing maintenance, with checked arguments.';
