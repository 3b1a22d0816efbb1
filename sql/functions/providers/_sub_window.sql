CREATE OR REPLACE FUNCTION board._sub_window(period interval)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Rounded up, so that 64 of them are never shorter than the period.
    SELECT ceil(extract(epoch FROM period) * 1000000 / 64)::bigint;
$$;

COMMENT ON FUNCTION board._sub_window IS
    'Private: microseconds of a sub-window: a 64th of the period.';
