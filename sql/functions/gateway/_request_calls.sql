CREATE OR REPLACE FUNCTION board._request_calls(
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
           task_id uuid, step text, provider text, request jsonb, account text,
           cost bigint, attempt bigint, units jsonb, response jsonb, succeeded boolean, used jsonb);
    CASE action
        WHEN 'begin_call' THEN
            _answer := to_jsonb(board._begin_call(who, _a.task_id, _a.step, _a.provider, _a.request,
                                                  _a.account, _a.cost, _a.attempt, _a.units));
        WHEN 'finish_call' THEN
            _answer := to_jsonb(board._finish_call(who, _a.task_id, _a.step, _a.response,
                                                   _a.succeeded, _a.attempt, _a.used));
        WHEN 'idempotency_key' THEN
            _answer := to_jsonb(board.idempotency_key(_a.task_id, _a.step));
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_calls IS
    'Private: what request() does of the wing calls, with checked arguments.';
