CREATE OR REPLACE FUNCTION board._slide_window(
    budget board.budgets,
    at     timestamptz)
RETURNS board.budgets
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _width bigint := board._sub_window(budget.period);
    -- A clock that steps back has stood still: the budget's own time goes on from where it was, and
    -- never faster than the clock. So a moment in the future, written while the clock was wrong,
    -- costs nothing once a take has seen the clock put right.
    _instant bigint := budget.instant
                       + greatest(0, board._microseconds(at)
                                     - board._microseconds(budget.clock_at));
    _passed int := least(65, _instant / _width - budget.instant / _width);
BEGIN
    budget.counts := (array_fill(0, ARRAY[_passed]) || budget.counts)[1:65];
    budget.instant := _instant;
    budget.clock_at := at;
    RETURN budget;
END;
$$;

COMMENT ON FUNCTION board._slide_window IS
    'Private: the budget as it stands at that moment: sub-windows that have passed are moved on, '
    'those that count no more fall off the end.';
