CREATE OR REPLACE FUNCTION board._request_providers(
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
      FROM jsonb_to_record(arguments) AS x (
           provider text, account text, cost int, taken_at timestamptz, retry_after interval);
    CASE action
        WHEN 'take' THEN
            _answer := (SELECT to_jsonb(t) FROM board._take(_a.provider, _a.account, _a.cost) AS t);
        WHEN 'give_back' THEN
            _answer := to_jsonb(board.give_back(_a.provider, _a.taken_at, _a.account, _a.cost));
        WHEN 'throttle' THEN
            _answer := to_jsonb(board.throttle(_a.provider, _a.account, _a.retry_after));
        WHEN 'unthrottle' THEN
            _answer := to_jsonb(board._unthrottle(who, _a.provider, _a.account));
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_providers IS
    'Private: what request() does of the wing providers, with checked arguments.';
