CREATE OR REPLACE FUNCTION board._request_modes(
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
           task_id uuid, step text, attempt int, kind text, correlation_id text, note text,
           mode text, override_reason text);
    -- JSON null is a decision and a deed ("did nothing"), so these two are taken as they came.
    CASE action
        WHEN 'record_decision' THEN
            _answer := to_jsonb(board._record_decision(who, _a.task_id, _a.step,
                                                       arguments -> 'decision', _a.attempt));
        WHEN 'record_actual' THEN
            _answer := to_jsonb(board._record_actual(who, _a.kind, _a.correlation_id, _a.step,
                                                     arguments -> 'actual'));
        WHEN 'explain_divergence' THEN
            _answer := to_jsonb(board._explain_divergence(who, _a.kind, _a.correlation_id, _a.step,
                                                          _a.note));
        WHEN 'promotion_report' THEN
            _answer := to_jsonb(board.promotion_report(_a.kind));
        WHEN 'promote' THEN
            _answer := to_jsonb(board._promote(who, _a.kind, _a.mode, _a.override_reason));
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_modes IS
    'Private: what request() does of the wing modes, with checked arguments.';
