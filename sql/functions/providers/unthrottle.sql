CREATE OR REPLACE FUNCTION board.unthrottle(
    provider text,
    account  text DEFAULT '',
    actor    text DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF unthrottle.actor IS NOT NULL THEN
        PERFORM board._acting_agent(unthrottle.actor, 'actor');
    END IF;
    RETURN board._unthrottle(unthrottle.actor, unthrottle.provider, unthrottle.account);
END;
$$;

COMMENT ON FUNCTION board.unthrottle IS
$$Lifts a throttle: the account may be called again as far as its budget allows. Returns whether it
was throttled. A throttle for all accounts (account NULL) is lifted only by naming none.

provider  name of the provider
account   text, the account that board.throttle() named; '' the provider's own; NULL: all throttles
          of the provider, also the one that was set for all accounts
actor     who decides, for the log; NULL: the database role

Errors: 22023 for a provider that is not known or a malformed account, 42501 for a name that is
another role's.
Example: SELECT board.unthrottle('acme');$$;
