CREATE OR REPLACE FUNCTION board.drop_limit(
    provider text,
    period   interval,
    actor    text DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF drop_limit.actor IS NOT NULL THEN
        PERFORM board._acting_agent(drop_limit.actor, 'actor');
    END IF;
    RETURN board._drop_limit(drop_limit.actor, drop_limit.provider, drop_limit.period);
END;
$$;

COMMENT ON FUNCTION board.drop_limit IS
$$Drops a provider's limit of that period; its other limits stay. Returns whether there was one. A
provider without limits always grants.

provider  name of the provider
period    interval, as it was set ('1 day' and '24 hours' are the same)
actor     who decides, for the log; NULL: the database role

Errors: 22023 for a provider that is not known or a period out of range, 42501 for a name that is
another role's.
Example: SELECT board.drop_limit('acme', '1 second');$$;
