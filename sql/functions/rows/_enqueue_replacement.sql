CREATE OR REPLACE FUNCTION board._enqueue_replacement(
    kind        text,
    unique_key  text,
    replacement jsonb)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := greatest(clock_timestamp(), transaction_timestamp());
    _new uuid := board._uuid7(_now);
    _priority int := (replacement ->> 'priority')::int;
    _run_at timestamptz := (replacement ->> 'run_at')::timestamptz;
    _later boolean := coalesce(_run_at > _now, false);
    _change jsonb := jsonb_strip_nulls(jsonb_build_object('actor', replacement -> 'actor'));
BEGIN
    -- The transaction has just finished the task that held the key: whoever brings the same key at
    -- this moment waits for it, so nothing is in the way of the new row.
    INSERT INTO board.tasks (id, kind, status, priority, payload, created_at, run_at, unique_key,
                             correlation_id, account, rank, due_at, change)
    VALUES (_new, _enqueue_replacement.kind, CASE WHEN _later THEN 'scheduled' ELSE 'pending' END,
            _priority, replacement -> 'payload', _now, coalesce(_run_at, _now),
            _enqueue_replacement.unique_key, replacement ->> 'correlation_id',
            replacement ->> 'account',
            CASE WHEN NOT _later THEN ~_priority END, CASE WHEN _later THEN _run_at END, _change);
END;
$$;

COMMENT ON FUNCTION board._enqueue_replacement IS
    'Private: makes a task of what an enqueue brought for one that was in progress, and that is '
    'finished now.';
