CREATE OR REPLACE FUNCTION board._request_signing(
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
        WHEN 'sign' THEN
            _answer := board.sign(given ->> 'key_name', given ->> 'message_id', given ->> 'body');
        WHEN 'verify' THEN
            _answer := to_jsonb(board.verify(
                given ->> 'key_name', nullif(given -> 'headers', 'null'), given ->> 'body',
                (given ->> 'tolerance')::interval));
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_signing IS
    'Private: what request() does of the wing signing, with checked arguments; NULL for an action of '
    'another wing.';
