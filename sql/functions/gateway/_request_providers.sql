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
           provider text, account text, cost bigint, units jsonb, taken_at timestamptz,
           retry_after interval);
    CASE action
        WHEN 'take' THEN
            _answer := (
                SELECT jsonb_build_object('granted', t.granted, 'retry_after', t.retry_after)
                  FROM board._take(who, _a.provider, _a.account,
                                   board._needed_units(_a.cost, _a.units)) AS t);
        WHEN 'give_back' THEN
            _answer := to_jsonb(board._give_back(who, _a.provider, _a.taken_at, _a.account, _a.cost,
                                                 _a.units));
        WHEN 'throttle' THEN
            _answer := to_jsonb(board._throttle(who, _a.provider, _a.account, _a.retry_after));
        WHEN 'unthrottle' THEN
            _answer := to_jsonb(board._unthrottle(who, _a.provider, _a.account));
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_providers IS
    'Private: what request() does of the wing providers, with checked arguments.';
