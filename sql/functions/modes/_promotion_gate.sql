CREATE OR REPLACE FUNCTION board._promotion_gate(
    policy board.kinds,
    mode   text,
    at     timestamptz)
RETURNS board.promotion_gate
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _gate board.promotion_gate;
    _low numeric;
    _trials bigint;
BEGIN
    -- Locks nothing. promote() calls it while it holds the row of the kind: what is counted is the
    -- era that the promotion ends. Reads that era of that kind from compared_steps_gate alone.
    _gate.kind := policy.name;
    _gate.mode := policy.mode;
    _gate.next_mode := mode;
    _gate.min_comparisons := policy.min_comparisons;
    _gate.min_agreement := policy.min_agreement;
    _gate.min_shadow_time := policy.min_shadow_time;
    -- A kind that was never configured has been live for ever.
    IF policy.created_at IS NOT NULL THEN
        _gate.mode_since := policy.mode_since;
        _gate.time_in_mode := date_trunc('second', at - policy.mode_since);
    END IF;
    SELECT count(*) FILTER (WHERE c.verdict <> 'missing'),
           count(*) FILTER (WHERE c.verdict IN ('matched', 'ignored')),
           count(*) FILTER (WHERE c.verdict = 'diverged'),
           count(*) FILTER (WHERE c.verdict = 'missing' AND o.overdue),
           count(*) FILTER (WHERE c.verdict = 'missing' AND NOT o.overdue),
           count(*) FILTER (WHERE c.explained_at IS NULL
                             AND (c.verdict = 'diverged' OR c.verdict = 'missing' AND o.overdue))
      INTO _gate.comparisons, _gate.agreed, _gate.diverged, _gate.missing, _gate.waiting,
           _gate.unexplained
      FROM board.compared_steps AS c
     CROSS JOIN LATERAL (SELECT at - c.recorded_at >= policy.comparison_grace) AS o (overdue)
     WHERE c.kind = policy.name
       AND c.mode_since = policy.mode_since;
    SELECT count(DISTINCT (e.correlation_id, e.step))
      INTO _gate.conflicts
      FROM board.comparison_evidence AS e
     WHERE e.kind = policy.name
       AND e.mode_since = policy.mode_since
       AND e.reason = 'conflict';

    -- A step on which one side stays silent is a disagreement: else a rewrite that handles only the
    -- easy events would agree with everything it is asked about.
    _trials := _gate.comparisons + _gate.missing;
    _low := board._wilson_low(_gate.agreed, _trials);
    _gate.agreement := trunc(_gate.agreed::numeric / nullif(_trials, 0), 4);
    _gate.agreement_low := trunc(_low, 4);

    _gate.unmet := '{}';
    IF mode = 'live' AND policy.mode = 'dry_run' THEN
        _gate.unmet := _gate.unmet || 'it is in dry_run: shadow comes before live'::text;
    ELSIF mode = 'live' THEN
        IF _gate.comparisons < policy.min_comparisons THEN
            _gate.unmet := _gate.unmet
                || format('%s of %s comparisons', _gate.comparisons, policy.min_comparisons);
        END IF;
        IF at - policy.mode_since < policy.min_shadow_time THEN
            _gate.unmet := _gate.unmet
                || format('in shadow for %s of %s', _gate.time_in_mode, policy.min_shadow_time);
        END IF;
        IF _gate.unexplained > 0 THEN
            _gate.unmet := _gate.unmet || format('%s unexplained divergences', _gate.unexplained);
        END IF;
        IF _low < policy.min_agreement THEN
            _gate.unmet := _gate.unmet
                || format('agreement is at least %s (%s of %s), %s is needed',
                          _gate.agreement_low, _gate.agreed, _trials, policy.min_agreement);
        END IF;
    END IF;
    IF mode IS NOT NULL THEN
        _gate.ready := _gate.unmet = '{}';
    END IF;
    RETURN _gate;
END;
$$;

COMMENT ON FUNCTION board._promotion_gate IS
    'Private: what stands between a kind and a mode at that moment.';
