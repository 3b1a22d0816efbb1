CREATE OR REPLACE FUNCTION board._request_schedules(
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
        WHEN 'schedule' THEN
            _answer := to_jsonb(board._schedule(
                who, given ->> 'name', given ->> 'cron', given ->> 'kind', given -> 'payload',
                given ->> 'timezone', (given ->> 'priority')::bigint, given ->> 'missed',
                given ->> 'overlap', (given ->> 'starts_at')::timestamptz,
                (given ->> 'ends_at')::timestamptz));
        WHEN 'unschedule' THEN
            _answer := to_jsonb(board._unschedule(who, given ->> 'name'));
        WHEN 'fire' THEN
            _answer := to_jsonb(board._fire(who, given ->> 'name'));
        WHEN 'fire_due' THEN
            _answer := to_jsonb(board.fire_due());
        WHEN 'next_occurrence' THEN
            _answer := to_jsonb(board.next_occurrence(
                given ->> 'cron', (given ->> 'after')::timestamptz, given ->> 'timezone'));
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_schedules IS
    'Private: what request() does of the wing schedules, with checked arguments; NULL for an action '
    'of another wing.';
