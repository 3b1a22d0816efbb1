CREATE OR REPLACE FUNCTION board._request_modes(
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
    -- Each action once; NULL, and nothing done, for any other. JSON null is a decision and a deed
    -- ("did nothing"), so these two are taken as they came.
    CASE action
        WHEN 'record_decision' THEN
            _answer := to_jsonb(board._record_decision(
                who, (given ->> 'task_id')::uuid, given ->> 'step', given -> 'decision',
                (given ->> 'attempt')::bigint));
        WHEN 'record_actual' THEN
            _answer := to_jsonb(board._record_actual(
                who, given ->> 'kind', given ->> 'correlation_id', given ->> 'step',
                given -> 'actual'));
        WHEN 'explain_divergence' THEN
            _answer := to_jsonb(board._explain_divergence(
                who, given ->> 'kind', given ->> 'correlation_id', given ->> 'step',
                given ->> 'note'));
        WHEN 'promotion_report' THEN
            _answer := to_jsonb(board.promotion_report(given ->> 'kind'));
        WHEN 'promote' THEN
            _answer := to_jsonb(board._promote(
                who, given ->> 'kind', given ->> 'mode', given ->> 'override_reason'));
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_modes IS
    'Private: what request() does of the wing modes, with checked arguments; NULL for an action of '
    'another wing.';
