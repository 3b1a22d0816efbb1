CREATE OR REPLACE FUNCTION board._store_decision(
    task     board.tasks,
    step     text,
    decision jsonb)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _correlation_id text := coalesce(task.correlation_id, task.id::text);
    _now timestamptz := clock_timestamp();
    _kind board.kinds;
    _row board.compared_steps;
BEGIN
    -- Locks: the caller holds the task; then the compared step, and nothing after it. The primary
    -- key decides who is first: if the other side is being recorded, the INSERT waits for its
    -- commit, finds the row, locks it and compares. So there is one row, and whoever comes second
    -- sees both sides. The kind is only read, but read again under the lock: the verdict must come
    -- from ignored paths at least as new as the era (mode_since) that the row carries, else the
    -- gate would count it under rules that no longer hold.
    PERFORM board._check_compared(task.kind, _correlation_id, step);
    LOOP
        _kind := board._kind_policy(task.kind);
        IF _kind.mode = 'live' THEN
            RETURN 'live';
        END IF;
        INSERT INTO board.compared_steps (
            kind, correlation_id, step, mode, mode_since, recorded_at,
            decided, decided_at, decided_by, task_id, attempt)
        VALUES (
            task.kind, _correlation_id, _store_decision.step, _kind.mode, _kind.mode_since, _now,
            decision, _now, task.leased_by, task.id, task.claim_count)
        ON CONFLICT ON CONSTRAINT compared_steps_pkey DO NOTHING;
        IF FOUND THEN
            RETURN 'missing';
        END IF;
        _row := board._comparison_for_update(task.kind, _correlation_id, step);
        -- Not there after all: its owner deleted it in between.
        EXIT WHEN _row.kind IS NOT NULL;
    END LOOP;

    _kind := board._kind_policy(task.kind);
    _now := clock_timestamp();
    IF _kind.mode = 'live' THEN
        RETURN 'live';
    ELSIF _row.decided IS NOT NULL AND _row.mode_since = _kind.mode_since THEN
        IF _row.decided = decision THEN
            RETURN _row.verdict;
        END IF;
        RETURN board._keep_evidence(
            _row, 'decided', 'conflict', decision, _kind.mode_since,
            task.leased_by, _now, task.id, task.claim_count);
    ELSIF _row.decided IS NOT NULL THEN
        -- Decided under a configuration that counts no more: the new decision is the one to judge.
        PERFORM board._keep_evidence(
            _row, 'decided', 'superseded', _row.decided, _row.mode_since,
            _row.decided_by, _row.decided_at, _row.task_id, _row.attempt);
    END IF;
    _row.decided := decision;
    _row.decided_at := _now;
    _row.decided_by := task.leased_by;
    _row.task_id := task.id;
    _row.attempt := task.claim_count;
    _row.mode := _kind.mode;
    _row.mode_since := _kind.mode_since;
    RETURN board._store_verdict(_row, _kind.ignored_paths);
END;
$$;

COMMENT ON FUNCTION board._store_decision IS
    'Private: records what a held task decided at a step; the verdict, conflict (another '
    'decision stands, this one is kept as evidence) or live (there is nothing to compare with).';
