CREATE OR REPLACE FUNCTION board._request_locks(
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
        WHEN 'acquire_lock' THEN
            _answer := to_jsonb(board._acquire_lock(
                who, given ->> 'resource', (given ->> 'ttl')::interval));
        WHEN 'renew_lock' THEN
            _answer := to_jsonb(board._renew_lock(
                who, given ->> 'resource', (given ->> 'token')::bigint,
                (given ->> 'ttl')::interval));
        WHEN 'release_lock' THEN
            _answer := to_jsonb(board._release_lock(
                who, given ->> 'resource', (given ->> 'token')::bigint));
        WHEN 'check_lock' THEN
            PERFORM board.check_lock(given ->> 'resource', (given ->> 'token')::bigint);
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_locks IS
    'Private: what request() does of the wing locks, with checked arguments; NULL for an action of '
    'another wing.';
