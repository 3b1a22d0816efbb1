CREATE OR REPLACE FUNCTION board._request_tasks(
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
        WHEN 'enqueue' THEN
            _answer := to_jsonb(board._enqueue(
                who, given ->> 'kind', nullif(given -> 'payload', 'null'),
                (given ->> 'priority')::bigint, (given ->> 'run_at')::timestamptz,
                given ->> 'unique_key', given ->> 'correlation_id', (given ->> 'needs')::uuid[],
                given ->> 'sequence_key', given ->> 'account',
                (given ->> 'unique_for')::interval, given ->> 'on_taken'));
        WHEN 'is_new' THEN
            _answer := to_jsonb(board.is_new((given ->> 'id')::uuid));
        WHEN 'enqueue_plan' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(p)), '[]') INTO _answer
              FROM board._enqueue_plan(
                   who, nullif(given -> 'tasks', 'null'), given ->> 'correlation_id') AS p;
        WHEN 'enqueue_many' THEN
            SELECT coalesce(jsonb_agg(e.id), '[]') INTO _answer
              FROM board._enqueue_many(
                   who, given ->> 'kind', (given ->> 'payloads')::jsonb[],
                   (given ->> 'priority')::bigint, (given ->> 'run_at')::timestamptz) AS e (id);
        WHEN 'claim' THEN
            SELECT coalesce(jsonb_agg(board._task_json(t)), '[]') INTO _answer
              FROM board._claim(
                   who, (given ->> 'ttl')::interval, (given ->> 'kinds')::text[],
                   (given ->> 'max_tasks')::bigint) AS t;
        WHEN 'claim_task' THEN
            SELECT coalesce(jsonb_agg(board._task_json(t)), '[]') INTO _answer
              FROM board._claim_task(
                   who, (given ->> 'id')::uuid, (given ->> 'ttl')::interval) AS t;
        WHEN 'heartbeat' THEN
            _answer := to_jsonb(board._heartbeat(
                who, (given ->> 'id')::uuid, (given ->> 'ttl')::interval,
                nullif(given -> 'progress', 'null'), (given ->> 'attempt')::bigint));
        WHEN 'complete' THEN
            _answer := to_jsonb(board._complete(
                who, (given ->> 'id')::uuid, nullif(given -> 'result', 'null'),
                (given ->> 'attempt')::bigint));
        WHEN 'complete_many' THEN
            SELECT coalesce(jsonb_agg(c.id), '[]') INTO _answer
              FROM board._complete_many(who, (given ->> 'ids')::uuid[]) AS c (id);
        WHEN 'fail' THEN
            _answer := to_jsonb(board._fail(
                who, (given ->> 'id')::uuid, nullif(given -> 'payload', 'null'),
                (given ->> 'permanent')::boolean, (given ->> 'retry_in')::interval,
                (given ->> 'attempt')::bigint));
        WHEN 'release' THEN
            _answer := to_jsonb(board._release(
                who, (given ->> 'id')::uuid, (given ->> 'delay')::interval,
                (given ->> 'attempt')::bigint, (given ->> 'needs')::uuid[]));
        WHEN 'escalate' THEN
            _answer := to_jsonb(board._escalate(
                who, (given ->> 'id')::uuid, nullif(given -> 'payload', 'null'),
                (given ->> 'attempt')::bigint));
        WHEN 'next_due' THEN
            _answer := to_jsonb(board.next_due((given ->> 'kinds')::text[]));
        WHEN 'needed_results' THEN
            SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') INTO _answer
              FROM board.needed_results((given ->> 'id')::uuid) AS r;
        WHEN 'explain' THEN
            _answer := to_jsonb(board.explain((given ->> 'id')::uuid));
        ELSE
            RETURN NULL;
    END CASE;
    RETURN coalesce(_answer, 'null');
END;
$$;

COMMENT ON FUNCTION board._request_tasks IS
    'Private: what request() does of the wing tasks, with checked arguments; NULL for an action of '
    'another wing.';
