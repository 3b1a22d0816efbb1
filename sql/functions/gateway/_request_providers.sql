CREATE OR REPLACE FUNCTION board._request_providers(
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
        WHEN 'take' THEN
            SELECT jsonb_build_object('granted', t.granted, 'retry_after', t.retry_after)
              INTO _answer
              FROM board._take(
                   who, given ->> 'provider', given ->> 'account',
                   board._needed_units((given ->> 'cost')::bigint,
                                       nullif(given -> 'units', 'null'))) AS t;
        WHEN 'give_back' THEN
            _answer := to_jsonb(board._give_back(
                who, given ->> 'provider', (given ->> 'taken_at')::timestamptz,
                given ->> 'account', (given ->> 'cost')::bigint,
                nullif(given -> 'units', 'null')));
        WHEN 'throttle' THEN
            _answer := to_jsonb(board._throttle(
                who, given ->> 'provider', given ->> 'account',
                (given ->> 'retry_after')::interval));
        WHEN 'unthrottle' THEN
            _answer := to_jsonb(board._unthrottle(
                who, given ->> 'provider', given ->> 'account'));
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_providers IS
    'Private: what request() does of the wing providers, with checked arguments; NULL for an action of '
    'another wing.';
