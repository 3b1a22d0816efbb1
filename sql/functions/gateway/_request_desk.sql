CREATE OR REPLACE FUNCTION board._request_desk(
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
        WHEN 'claim_escalated' THEN
            SELECT coalesce(jsonb_agg(board._task_json(t)), '[]') INTO _answer
              FROM board._claim_escalated(
                   who, (given ->> 'ttl')::interval, (given ->> 'id')::uuid) AS t;
        WHEN 'retry' THEN
            _answer := to_jsonb(board._retry(
                who, (given ->> 'id')::uuid, nullif(given -> 'note', 'null'),
                nullif(given -> 'payload', 'null')));
        WHEN 'cancel' THEN
            _answer := to_jsonb(board._cancel(
                who, (given ->> 'id')::uuid, nullif(given -> 'note', 'null'),
                (given ->> 'dependents')::boolean));
        WHEN 'drop_need' THEN
            _answer := to_jsonb(board._drop_need(
                who, (given ->> 'id')::uuid, (given ->> 'needs_id')::uuid));
        WHEN 'replay' THEN
            _answer := to_jsonb(board._replay(
                who, (given ->> 'id')::uuid, (given ->> 'as_new')::boolean));
        WHEN 'reprioritize' THEN
            _answer := to_jsonb(board._reprioritize(
                who, (given ->> 'id')::uuid, (given ->> 'priority')::bigint));
        WHEN 'pause' THEN
            _answer := to_jsonb(board._set_paused(
                who, given ->> 'target', true, given ->> 'reason'));
        WHEN 'resume' THEN
            _answer := to_jsonb(board._set_paused(who, given ->> 'target', false, NULL));
        WHEN 'configure_kind' THEN
            _answer := to_jsonb(board._configure_kind(
                who, given ->> 'name', given - ARRAY['name', 'reset'],
                (given ->> 'reset')::text[]));
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_desk IS
    'Private: what request() does of the wing desk, with checked arguments; NULL for an action of '
    'another wing.';
