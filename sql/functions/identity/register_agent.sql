CREATE OR REPLACE FUNCTION board.register_agent(
    name text,
    role text)
RETURNS board.agents
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _now timestamptz := clock_timestamp();
    _caller text := board._caller();
    _agent board.agents;
BEGIN
    -- One row of agents, by primary key: two who register one name wait for each other, the later
    -- binding stands. Verbs read that row and never lock it: the next verb obeys. The role's oid is
    -- a generated column, so setting the name sets it.
    PERFORM board._check_name(name, 'name');
    PERFORM board._check_name(role, 'role');
    IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = register_agent.role) THEN
        PERFORM board._invalid_argument('role', 'names no database role',
            'Create the role first; spell it as in pg_roles, without quotes.');
    END IF;
    INSERT INTO board.agents AS a (name, role, registered_at, registered_by)
    VALUES (register_agent.name, register_agent.role, _now, _caller)
        ON CONFLICT ON CONSTRAINT agents_pkey DO UPDATE
        SET role = EXCLUDED.role,
            registered_at = EXCLUDED.registered_at,
            registered_by = EXCLUDED.registered_by
    RETURNING a.* INTO _agent;
    PERFORM board._audit(NULL, 'register_agent', 'agent:' || name,
                         jsonb_build_object('role', role));
    RETURN _agent;
END;
$$;

COMMENT ON FUNCTION board.register_agent IS
$$Binds an agent name to a database role: from now on only that role may act under it, others get
42501. It is the role that is bound, not its name of today: renamed it keeps the agent name, and a
new role of the old name does not get it. A dump carries the name it had then: register it anew
after ALTER ROLE … RENAME, so that a restore finds it.

name  of the agent, 1 to 200 characters; one that is bound already is bound anew
role  the database role that acts under it, as the board sees callers: the role of SET ROLE, else
      the one that logged in. The role of your HTTP front keeps the name for bearers of its tokens.

Returns the row of board.agents.
Errors: 22023 for a malformed name or a role that does not exist.
Example: SELECT * FROM board.register_agent('agent-7', 'billing_app');$$;
