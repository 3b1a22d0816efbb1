CREATE OR REPLACE FUNCTION board._backoff(
    strikes   int,
    delay     interval,
    delay_max interval)
RETURNS interval
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    -- In seconds and as a double, so that no number of strikes overflows an interval.
    SELECT make_interval(secs => least(
        extract(epoch FROM delay)::float8 * power(2::float8, least(strikes, 100) - 1),
        extract(epoch FROM greatest(delay_max, delay))::float8));
$$;

COMMENT ON FUNCTION board._backoff IS
    'Private: the wait after that many strikes: delay, doubled with each further one, up to '
    'delay_max.';
