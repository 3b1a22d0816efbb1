CREATE OR REPLACE FUNCTION board.unregister_agent(name text)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _role text;
BEGIN
    -- Locks the row of agents it deletes, by primary key.
    PERFORM board._check_name(name, 'name');
    DELETE FROM board.agents AS a WHERE a.name = unregister_agent.name RETURNING a.role INTO _role;
    IF _role IS NULL THEN
        RETURN false;
    END IF;
    PERFORM board._audit(NULL, 'unregister_agent', 'agent:' || name,
                         jsonb_build_object('role', _role));
    RETURN true;
END;
$$;

COMMENT ON FUNCTION board.unregister_agent IS
$$Frees an agent name that register_agent bound: any role may act under it again (nobody, where
settings.require_registered_agents is on).

name  of the agent, 1 to 200 characters

Returns whether it was bound. Leases held under the name stay, and so do its tokens: see
revoke_token.
Errors: 22023 for a malformed name.
Example: SELECT board.unregister_agent('agent-7');$$;
