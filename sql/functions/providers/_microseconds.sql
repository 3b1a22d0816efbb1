CREATE OR REPLACE FUNCTION board._microseconds(at timestamptz)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Budgets reckon in whole microseconds. Intervals would not do: the difference of two moments
    -- holds days, and a day added where clocks change is 23 or 25 hours long.
    SELECT (extract(epoch FROM at) * 1000000)::bigint;
$$;

COMMENT ON FUNCTION board._microseconds IS 'Private: microseconds since 1970, exactly.';
