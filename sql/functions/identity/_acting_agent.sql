CREATE OR REPLACE FUNCTION board._acting_agent(
    name     text,
    argument text DEFAULT 'agent')
RETURNS text
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _bound oid;
BEGIN
    -- Locks nothing: a binding that is made while a verb runs holds from the next verb on. What is
    -- compared is the role, not its name: renamed it keeps what it is bound to, and a new role of
    -- an old name inherits nothing.
    PERFORM board._check_name(name, argument);
    -- Touches tasks first, as every verb does: an upgrade locks in that order.
    PERFORM FROM board.tasks AS t WHERE false;
    SELECT a.role_oid INTO _bound FROM board.agents AS a WHERE a.name = _acting_agent.name;
    IF FOUND THEN
        IF _bound = to_regrole(quote_ident(board._caller()))::oid THEN
            RETURN name;
        END IF;
        RAISE EXCEPTION USING
            ERRCODE = '42501',
            MESSAGE = format('%s "%s" belongs to another database role', argument, name),
            DETAIL = format('You are "%s"; the name is registered for another role.',
                            board._caller()),
            HINT = 'Use a name of your own, or ask an administrator for board.register_agent().';
    ELSIF (SELECT s.require_registered_agents FROM board.settings AS s) THEN
        RAISE EXCEPTION USING
            ERRCODE = '42501',
            MESSAGE = format('%s "%s" is not registered', argument, name),
            DETAIL = 'Only registered names may act here (settings.require_registered_agents).',
            HINT = 'Ask an administrator for board.register_agent().';
    END IF;
    RETURN name;
END;
$$;

COMMENT ON FUNCTION board._acting_agent IS
    'Private: the name, if the caller may act under it; 22023 for a malformed name, 42501 for a '
    'name bound to another role or not registered where that is required.';
