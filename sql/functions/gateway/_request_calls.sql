CREATE OR REPLACE FUNCTION board._request_calls(
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
        WHEN 'begin_call' THEN
            _answer := to_jsonb(board._begin_call(
                who, (given ->> 'task_id')::uuid, given ->> 'step', given ->> 'provider',
                nullif(given -> 'request', 'null'), given ->> 'account',
                (given ->> 'cost')::bigint, (given ->> 'attempt')::bigint,
                nullif(given -> 'units', 'null')));
        WHEN 'finish_call' THEN
            _answer := to_jsonb(board._finish_call(
                who, (given ->> 'task_id')::uuid, given ->> 'step',
                nullif(given -> 'response', 'null'), (given ->> 'succeeded')::boolean,
                (given ->> 'attempt')::bigint, nullif(given -> 'used', 'null')));
        WHEN 'idempotency_key' THEN
            _answer := to_jsonb(board.idempotency_key(
                (given ->> 'task_id')::uuid, given ->> 'step'));
        WHEN 'set_task_budget' THEN
            _answer := to_jsonb(board._set_task_budget(
                who, (given ->> 'id')::uuid, nullif(given -> 'units', 'null')));
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_calls IS
    'Private: what request() does of the wing calls, with checked arguments; NULL for an action of '
    'another wing.';
