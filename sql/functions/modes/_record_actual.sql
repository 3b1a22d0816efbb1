CREATE OR REPLACE FUNCTION board._record_actual(
    who            text,
    kind           text,
    correlation_id text,
    step           text,
    actual         jsonb)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz;
    _who text := coalesce(who, board._caller());
    _kind board.kinds;
    _row board.compared_steps;
BEGIN
    -- Locks: the compared step alone. The INSERT and the lock settle who is first, as in
    -- _store_decision; the kind is read again under the lock for the same reason.
    PERFORM board._check_compared(kind, correlation_id, step);
    IF actual IS NULL THEN
        PERFORM board._invalid_argument('actual', 'is NULL',
            'Pass JSON null, ''null''::jsonb, for "did nothing".');
    END IF;
    PERFORM board._check_payload(actual, 'actual');
    LOOP
        _kind := board._kind_policy(_record_actual.kind);
        _now := clock_timestamp();
        INSERT INTO board.compared_steps (
            kind, correlation_id, step, mode, mode_since, recorded_at, actual, actual_at, actual_by)
        VALUES (
            _record_actual.kind, _record_actual.correlation_id, _record_actual.step,
            _kind.mode, _kind.mode_since, _now, _record_actual.actual, _now, _who)
        ON CONFLICT ON CONSTRAINT compared_steps_pkey DO NOTHING;
        IF FOUND THEN
            RETURN 'missing';
        END IF;
        _row := board._comparison_for_update(kind, correlation_id, step);
        EXIT WHEN _row.kind IS NOT NULL;
    END LOOP;

    _kind := board._kind_policy(_record_actual.kind);
    _now := clock_timestamp();
    IF _row.actual = _record_actual.actual THEN
        RETURN _row.verdict;
    ELSIF _row.actual IS NOT NULL THEN
        RETURN board._keep_evidence(
            _row, 'actual', 'conflict', actual, _kind.mode_since, _who, _now);
    END IF;
    _row.actual := _record_actual.actual;
    _row.actual_at := _now;
    _row.actual_by := _who;
    RETURN board._store_verdict(_row, _kind.ignored_paths);
END;
$$;

COMMENT ON FUNCTION board._record_actual IS
    'Private: record_actual for a name that has been checked; NULL stands for the database role.';
