CREATE OR REPLACE FUNCTION board._add_usage(
    provider text,
    account  text,
    periods  interval[],
    cost     int,
    at       timestamptz)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Locks: none but the rows of these periods, which the caller holds already.
    UPDATE board.budgets AS b
       SET (counts, instant, clock_at) = (
               SELECT ARRAY[a.counts[1] + cost] || a.counts[2:65], a.instant, a.clock_at
                 FROM board._slide_window(b, at) AS a)
     WHERE b.provider = _add_usage.provider
       AND b.account = _add_usage.account
       AND b.period = ANY (periods);
END;
$$;

COMMENT ON FUNCTION board._add_usage IS
    'Private: counts the cost in these budgets, locked by the caller, at that moment; a cost of 0 '
    'only moves them on to it.';
