CREATE OR REPLACE FUNCTION board._check_cost(
    provider text,
    cost     int)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _tightest board.provider_limits;
BEGIN
    -- Locks nothing.
    PERFORM board._check_count(cost, 'cost', 2147483647);
    SELECT l.* INTO _tightest
      FROM board.provider_limits AS l
     WHERE l.provider = _check_cost.provider AND l.max_calls < cost
     ORDER BY l.max_calls, l.period
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'TB006',
            MESSAGE = 'cost exceeds limit',
            DETAIL = format('A cost of %s can never be granted: provider "%s" allows %s in %s.',
                            cost, provider, _tightest.max_calls, _tightest.period),
            HINT = 'Waiting does not help: split the call, or raise the limit (board.set_limit).';
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_cost IS
    'Private: 22023 for a cost below 1, TB006 for one above a limit of the provider.';
