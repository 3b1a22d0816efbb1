CREATE OR REPLACE FUNCTION board._request_desk(
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
           id uuid, ttl interval, note jsonb, as_new boolean, priority int, target text,
           reason text, name text, max_failures int, max_lapses int, retry_delay interval,
           retry_delay_max interval, max_in_progress int, provider text, provider_account text,
           mode text, min_comparisons int, min_shadow_time interval, min_agreement numeric,
           comparison_grace interval, ignored_paths text[], reset text[]);
    CASE action
        WHEN 'claim_escalated' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(t) - 'stamp'), '[]') INTO _answer
              FROM board._claim_escalated(who, _a.ttl, _a.id) AS t;
        WHEN 'retry' THEN
            _answer := to_jsonb(board._retry(who, _a.id, _a.note));
        WHEN 'cancel' THEN
            _answer := to_jsonb(board._cancel(who, _a.id, _a.note));
        WHEN 'replay' THEN
            _answer := to_jsonb(board._replay(who, _a.id, _a.as_new));
        WHEN 'reprioritize' THEN
            _answer := to_jsonb(board._reprioritize(who, _a.id, _a.priority));
        WHEN 'pause' THEN
            _answer := to_jsonb(board._set_paused(who, _a.target, true, _a.reason));
        WHEN 'resume' THEN
            _answer := to_jsonb(board._set_paused(who, _a.target, false, NULL));
        WHEN 'configure_kind' THEN
            _answer := to_jsonb(board._configure_kind(
                who, _a.name, arguments - ARRAY['name', 'reset'], _a.reset));
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_desk IS
    'Private: what request() does of the wing desk, with checked arguments.';
