CREATE OR REPLACE FUNCTION board._request_locks(
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
      FROM jsonb_to_record(arguments) AS x (resource text, token bigint, ttl interval);
    CASE action
        WHEN 'acquire_lock' THEN
            _answer := to_jsonb(board._acquire_lock(who, _a.resource, _a.ttl));
        WHEN 'renew_lock' THEN
            _answer := to_jsonb(board._renew_lock(who, _a.resource, _a.token, _a.ttl));
        WHEN 'release_lock' THEN
            _answer := to_jsonb(board._release_lock(who, _a.resource, _a.token));
        WHEN 'check_lock' THEN
            PERFORM board.check_lock(_a.resource, _a.token);
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_locks IS
    'Private: what request() does of the wing locks, with checked arguments.';
