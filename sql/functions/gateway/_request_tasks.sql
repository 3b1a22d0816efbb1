CREATE OR REPLACE FUNCTION board._request_tasks(
    who       text,
    action    text,
    arguments jsonb)
RETURNS jsonb
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _private CONSTANT text[] := ARRAY['rank', 'due_at', 'turn', 'change'];
    _a record;
    _answer jsonb;
    _payloads jsonb[];
BEGIN
    SELECT x.* INTO _a
      FROM jsonb_to_record(arguments) AS x (
           id uuid, ids uuid[], kind text, kinds text[], payload jsonb, priority bigint,
           run_at timestamptz, unique_key text, correlation_id text, ttl interval, max_tasks bigint,
           progress jsonb, attempt bigint, result jsonb, permanent boolean, retry_in interval,
           delay interval);
    -- jsonb_to_record takes an array in an array for a further dimension.
    IF jsonb_typeof(arguments -> 'payloads') = 'array' THEN
        _payloads := ARRAY(SELECT jsonb_array_elements(arguments -> 'payloads'));
    END IF;
    CASE action
        WHEN 'enqueue' THEN
            _answer := to_jsonb(board._enqueue(who, _a.kind, _a.payload, _a.priority, _a.run_at,
                                               _a.unique_key, _a.correlation_id));
        WHEN 'enqueue_many' THEN
            SELECT coalesce(jsonb_agg(e.id), '[]') INTO _answer
              FROM board._enqueue_many(who, _a.kind, _payloads, _a.priority, _a.run_at) AS e (id);
        WHEN 'claim' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(t) - _private), '[]') INTO _answer
              FROM board._claim(who, _a.ttl, _a.kinds, _a.max_tasks) AS t;
        WHEN 'claim_task' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(t) - _private), '[]') INTO _answer
              FROM board._claim_task(who, _a.id, _a.ttl) AS t;
        WHEN 'heartbeat' THEN
            _answer := to_jsonb(board._heartbeat(who, _a.id, _a.ttl, _a.progress, _a.attempt));
        WHEN 'complete' THEN
            _answer := to_jsonb(board._complete(who, _a.id, _a.result, _a.attempt));
        WHEN 'complete_many' THEN
            SELECT coalesce(jsonb_agg(c.id), '[]') INTO _answer
              FROM board._complete_many(who, _a.ids) AS c (id);
        WHEN 'fail' THEN
            _answer := to_jsonb(board._fail(who, _a.id, _a.payload, _a.permanent, _a.retry_in,
                                            _a.attempt));
        WHEN 'release' THEN
            _answer := to_jsonb(board._release(who, _a.id, _a.delay, _a.attempt));
        WHEN 'escalate' THEN
            _answer := to_jsonb(board._escalate(who, _a.id, _a.payload, _a.attempt));
        WHEN 'next_due' THEN
            _answer := to_jsonb(board.next_due(_a.kinds));
        WHEN 'explain' THEN
            _answer := to_jsonb(board.explain(_a.id));
    END CASE;
    RETURN _answer;
END;
$$;

COMMENT ON FUNCTION board._request_tasks IS
    'Private: what request() does of the wing tasks, with checked arguments.';
