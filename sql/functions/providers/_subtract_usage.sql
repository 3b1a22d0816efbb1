CREATE OR REPLACE FUNCTION board._subtract_usage(
    provider text,
    account  text,
    cost     int,
    periods  interval[],
    taken_at timestamptz,
    at       timestamptz)
RETURNS int
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _budget board.budgets;
    _width bigint;
    _since bigint;
    _oldest bigint;
    _left int;
    _off int;
    _most int := 0;
BEGIN
    -- Locks: none of its own; the caller has locked these budgets and has read at after that.
    -- From the oldest sub-window that the take can have been counted in. Were the newest emptied
    -- instead, a later call of somebody else would be kept with the age of ours and leave the
    -- window too early. If that oldest one counts no more, nothing is taken off: what follows it
    -- is others'.
    FOR _budget IN
        SELECT a.*
          FROM board.budgets AS b
         CROSS JOIN LATERAL board._slide_window(b, at) AS a
         WHERE b.provider = _subtract_usage.provider AND b.account = _subtract_usage.account
           AND b.period = ANY (periods)
         ORDER BY b.period
    LOOP
        _width := board._sub_window(_budget.period);
        _since := _budget.instant - (board._microseconds(at) - board._microseconds(taken_at));
        _oldest := 1 + _budget.instant / _width - _since / _width;
        CONTINUE WHEN _oldest NOT BETWEEN 1 AND 65;
        _left := cost;
        FOR _i IN REVERSE _oldest .. 1 LOOP
            _off := least(_left, _budget.counts[_i]);
            _budget.counts[_i] := _budget.counts[_i] - _off;
            _left := _left - _off;
        END LOOP;
        _most := greatest(_most, cost - _left);
        UPDATE board.budgets AS b
           SET counts = _budget.counts, instant = _budget.instant, clock_at = _budget.clock_at
         WHERE b.provider = _subtract_usage.provider AND b.account = _subtract_usage.account
           AND b.period = _budget.period;
    END LOOP;
    RETURN _most;
END;
$$;

COMMENT ON FUNCTION board._subtract_usage IS
    'Private: takes the cost off these budgets, locked by the caller, from the oldest sub-window '
    'not before taken_at on; returns the most that came off one.';
