CREATE OR REPLACE FUNCTION board._request_schedules(
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
    -- The arguments are of their types already: _arguments has seen to that.
    SELECT x.* INTO _a
      FROM jsonb_to_record(arguments) AS x (
           name text, cron text, kind text, payload jsonb, timezone text, priority bigint,
           missed text, overlap text, starts_at timestamptz, ends_at timestamptz,
           after timestamptz);
    CASE action
        WHEN 'schedule' THEN
            _answer := to_jsonb(board._schedule(
                who, _a.name, _a.cron, _a.kind, _a.payload, _a.timezone, _a.priority, _a.missed,
                _a.overlap, _a.starts_at, _a.ends_at));
        WHEN 'unschedule' THEN
            _answer := to_jsonb(board._unschedule(who, _a.name));
        WHEN 'fire' THEN
            _answer := to_jsonb(board._fire(who, _a.name));
        WHEN 'fire_due' THEN
            _answer := to_jsonb(board.fire_due());
        WHEN 'next_occurrence' THEN
            _answer := to_jsonb(board.next_occurrence(_a.cron, _a.after, _a.timezone));
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_schedules IS
    'Private: what request() does of the wing schedules, with checked arguments.';
