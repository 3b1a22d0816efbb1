CREATE OR REPLACE FUNCTION board._slide_window(
    INOUT counts  bigint[],
    period        interval,
    INOUT instant bigint,
    clock_at      timestamptz,
    at            timestamptz)
RETURNS record
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _width bigint := board._sub_window(period);
    -- A clock that steps back has stood still: the budget's own time goes on from where it was, and
    -- never faster than the clock. So a moment in the future, written while the clock was wrong,
    -- costs nothing once a take has seen the clock put right.
    _instant bigint := instant
                       + greatest(0, board._microseconds(at) - board._microseconds(clock_at));
    _passed int := least(65, _instant / _width - instant / _width);
BEGIN
    counts := (array_fill(0::bigint, ARRAY[_passed]) || counts)[1:65];
    instant := _instant;
END;
$$;

COMMENT ON FUNCTION board._slide_window IS
    'Private: a budget''s counts and its own time as they stand at that moment: sub-windows that '
    'have passed are moved on, those that count no more fall off the end.';
