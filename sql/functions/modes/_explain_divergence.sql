CREATE OR REPLACE FUNCTION board._explain_divergence(
    who            text,
    kind           text,
    correlation_id text,
    step           text,
    note           text)
RETURNS text
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz;
    _row board.compared_steps;
BEGIN
    -- Locks: the compared step, so that no side of it changes under the person's words.
    PERFORM board._check_compared(kind, correlation_id, step);
    IF note IS NULL OR note !~ '[^[:space:]]' THEN
        PERFORM board._invalid_argument('note', 'says nothing',
            'Say why the two sides differ, and why that is all right.');
    ELSIF length(note) > 10000 THEN
        PERFORM board._invalid_argument('note', format('has %s characters', length(note)),
            'At most 10,000 are kept.');
    END IF;
    _row := board._comparison_for_update(kind, correlation_id, step);
    _now := clock_timestamp();
    IF _row.kind IS NULL THEN
        PERFORM board._invalid_argument('correlation_id',
            format('has no such step on record: there is no "%s" of "%s" for kind "%s"',
                   step, correlation_id, kind),
            'The view board.divergences lists what there is to explain.');
    ELSIF _row.verdict NOT IN ('diverged', 'missing') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'TB003',
            MESSAGE = 'nothing to explain',
            DETAIL = format('The verdict on step "%s" of "%s" is %s.',
                            step, correlation_id, _row.verdict),
            HINT = 'The view board.divergences lists what there is to explain.';
    ELSIF _row.explained_by = who AND _row.explanation = note THEN
        RETURN 'explained';
    END IF;
    UPDATE board.compared_steps AS c
       SET explained_at = _now, explained_by = who, explanation = note
     WHERE c.kind = _explain_divergence.kind
       AND c.correlation_id = _explain_divergence.correlation_id
       AND c.step = _explain_divergence.step;
    PERFORM board._audit(who, 'explain_divergence', 'kind:' || kind, jsonb_build_object(
        'correlation_id', correlation_id, 'step', step, 'verdict', _row.verdict,
        'paths', _row.paths, 'note', note));
    RETURN 'explained';
END;
$$;

COMMENT ON FUNCTION board._explain_divergence IS
    'Private: explain_divergence for a name that has been checked.';
