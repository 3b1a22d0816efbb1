CREATE OR REPLACE FUNCTION board.drop_limit(
    provider text,
    period   interval,
    unit     text DEFAULT 'call',
    actor    text DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _max_units bigint;
BEGIN
    -- Locks the limit's row. The budgets stay: a take that still knows the limit may hold
    -- them. They are made anew should the limit come back.
    -- Touches tasks first, as every verb does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    PERFORM board._acting_agent(drop_limit.actor, 'actor') WHERE drop_limit.actor IS NOT NULL;
    PERFORM board._check_provider(drop_limit.provider);
    PERFORM board._check_period(drop_limit.period);
    PERFORM board._check_name(drop_limit.unit, 'unit');
    DELETE FROM board.provider_limits AS l
     WHERE l.provider = drop_limit.provider AND l.unit = drop_limit.unit
       AND l.period = drop_limit.period
    RETURNING l.max_units INTO _max_units;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM board._recall_postponed(drop_limit.provider);
    PERFORM board._audit(drop_limit.actor, 'drop_limit', 'provider:' || drop_limit.provider,
        jsonb_build_object('unit', drop_limit.unit, 'period', drop_limit.period,
                           'max_units', _max_units));
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board.drop_limit IS
$$Drops a provider's limit of that unit and period; its other limits stay. Returns whether there was
one. A provider without limits always grants.

provider  name of the provider
period    interval, as it was set ('1 day' and '24 hours' are the same)
unit      text, as it was set
actor     who decides, for the log; NULL: the database role

Errors: 22023 for a provider that is not known or an argument out of range, 42501 for a name that is
another role's.
Example: SELECT board.drop_limit('acme', '1 minute', unit => 'token');$$;
