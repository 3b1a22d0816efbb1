CREATE OR REPLACE FUNCTION board.configure_provider(
    name                text,
    base_url            text     DEFAULT NULL,
    sandbox_url         text     DEFAULT NULL,
    honours_idempotency boolean  DEFAULT NULL,
    idempotency_window  interval DEFAULT NULL,
    signing_key         text     DEFAULT NULL,
    reset               text[]   DEFAULT NULL,
    actor               text     DEFAULT NULL)
RETURNS board.providers
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF configure_provider.actor IS NOT NULL THEN
        PERFORM board._acting_agent(configure_provider.actor, 'actor');
    END IF;
    RETURN board._configure_provider(
        configure_provider.actor, configure_provider.name, configure_provider.base_url,
        configure_provider.sandbox_url, configure_provider.honours_idempotency,
        configure_provider.idempotency_window, configure_provider.signing_key,
        configure_provider.reset);
END;
$$;

COMMENT ON FUNCTION board.configure_provider IS
$$Makes a provider known, or changes it, and returns its row. Pass arguments by name: only those
passed change.

name                 name of the provider, 1 to 200 characters
base_url             text, where live calls go: http or https, no password in it (none)
sandbox_url          text, where calls of kinds in shadow go; without one they are suppressed (none)
honours_idempotency  boolean, whether it does a call once however often it is sent with one
                     Idempotency-Key; if not, a call of unknown outcome goes to a person instead of
                     being sent again (false)
idempotency_window   interval, how long it remembers a key after the first call with it; a call sent
                     longer ago than that, whose outcome is unknown, goes to a person (none: for
                     ever)
signing_key          name of the key that signs what is sent to it, see board.create_signing_key()
                     (none)
reset                text[], names of arguments to set back to the value in parentheses
actor                who decides, for the log; NULL: the database role

How often it may be called is set with board.set_limit(). To stop all calls: board.pause() with
'provider:NAME'.

Errors: 22023 for an argument out of range or a key that does not exist, 42501 for a name that is
another role's.
Example: SELECT * FROM board.configure_provider('acme', base_url => 'https://api.acme.test/v1',
                                         honours_idempotency => true);$$;
