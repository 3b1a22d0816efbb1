CREATE OR REPLACE FUNCTION board._check_needed(
    provider text,
    needed   jsonb)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _tightest board.provider_limits;
BEGIN
    -- Locks nothing.
    SELECT l.* INTO _tightest
      FROM board.provider_limits AS l
     WHERE l.provider = _check_needed.provider
       AND (needed ->> l.unit)::bigint > l.max_units
     ORDER BY l.unit, l.max_units, l.period
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'TB006',
            MESSAGE = 'cost exceeds limit',
            DETAIL = format('%s of "%s" can never be granted: provider "%s" allows %s in %s.',
                            needed ->> _tightest.unit, _tightest.unit, provider,
                            _tightest.max_units, _tightest.period),
            HINT = 'Waiting does not help: split the call, or have an operator raise the limit (board.set_limit).';
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_needed IS
    'Private: TB006 for an amount that is above a limit of the provider.';
