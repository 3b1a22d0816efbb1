CREATE OR REPLACE FUNCTION board._slide_window(
    counts          bigint[],
    period          interval,
    instant         bigint,
    clock_at        timestamptz,
    at              timestamptz,
    OUT new_counts  bigint[],
    OUT new_instant bigint)
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
    _passed bigint := greatest(0, board._microseconds(at) - board._microseconds(clock_at));
BEGIN
    new_instant := instant + _passed;
    new_counts := (array_fill(0::bigint,
        ARRAY[least(65, new_instant / _width - instant / _width)::int]) || counts)[1:65];
END;
$$;

COMMENT ON FUNCTION board._slide_window IS
    'Private: a budget''s counts and its own time as they stand at that moment: sub-windows that '
    'have passed are moved on, those that count no more fall off the end.';
