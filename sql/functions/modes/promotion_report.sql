CREATE OR REPLACE FUNCTION board.promotion_report(kind text)
RETURNS board.promotion_gate
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _kind board.kinds;
BEGIN
    _kind := board._known_kind(kind);
    RETURN board._promotion_gate(
        _kind,
        CASE _kind.mode WHEN 'dry_run' THEN 'shadow' WHEN 'shadow' THEN 'live' END,
        clock_timestamp());
END;
$$;

COMMENT ON FUNCTION board.promotion_report IS
$$Tells how far a kind is from its next mode: what counts since the mode began (or since its
configuration last changed), what is asked for, and in unmet every reason why promote() would
refuse now.

kind  a kind that exists

Returns one row of type board.promotion_gate: ready, unmet, comparisons, agreed, diverged, missing
(one side only for longer than the kind's comparison_grace: a disagreement), waiting (not for so
long: not counted), unexplained, agreement_low (lower end of the two-sided 95 % Wilson interval,
z = 1.96) and the thresholds.
Raises 22023 when there is no such kind.

SELECT * FROM board.promotion_report(kind => 'send_reminder');$$;
