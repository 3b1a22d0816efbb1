CREATE OR REPLACE FUNCTION board._drop_limit(
    who      text,
    provider text,
    period   interval)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _max_calls int;
BEGIN
    -- Locks the limit's row. The budgets stay: should the limit be set again within its period, as
    -- when it is changed in two steps, what was used before still counts.
    PERFORM board._check_provider(_drop_limit.provider);
    PERFORM board._check_period(_drop_limit.period);
    DELETE FROM board.provider_limits AS l
     WHERE l.provider = _drop_limit.provider AND l.period = _drop_limit.period
    RETURNING l.max_calls INTO _max_calls;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM board._audit(who, 'drop_limit', 'provider:' || _drop_limit.provider,
        jsonb_build_object('period', _drop_limit.period, 'max_calls', _max_calls));
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board._drop_limit IS
    'Private: body of drop_limit for the checked name who (NULL: the database role).';
