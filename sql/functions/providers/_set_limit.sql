CREATE OR REPLACE FUNCTION board._set_limit(
    who       text,
    provider  text,
    period    interval,
    max_calls int)
RETURNS board.provider_limits
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _limit board.provider_limits;
BEGIN
    -- Locks the limit's row. Takes never lock it: they read it after they have locked the budgets,
    -- so every take that decides after our commit goes by the new number.
    PERFORM board._check_provider(_set_limit.provider);
    PERFORM board._check_period(_set_limit.period);
    PERFORM board._check_count(_set_limit.max_calls, 'max_calls', 1000000000);
    INSERT INTO board.provider_limits (provider, period, max_calls)
    VALUES (_set_limit.provider, _set_limit.period, _set_limit.max_calls)
        ON CONFLICT ON CONSTRAINT provider_limits_pkey
        DO UPDATE SET max_calls = excluded.max_calls
    RETURNING * INTO _limit;
    PERFORM board._audit(who, 'set_limit', 'provider:' || _set_limit.provider,
        jsonb_build_object('period', _set_limit.period, 'max_calls', _set_limit.max_calls));
    RETURN _limit;
END;
$$;

COMMENT ON FUNCTION board._set_limit IS
    'Private: body of set_limit for the checked name who (NULL: the database role).';
