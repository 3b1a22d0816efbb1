CREATE OR REPLACE FUNCTION board._action_arguments(action text)
RETURNS TABLE (name text, type text, optional boolean, standard jsonb)
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- From the catalog, so that no list of arguments can drift from the functions. A default that
    -- is no constant would be NULL here; tests/test_request.py sees that there is none. The
    -- bearer's row (whoami) is request()'s own, no argument.
    RETURN QUERY
    SELECT a.name,
           replace(format_type(a.type, NULL), 'timestamp with time zone', 'timestamptz'),
           d.expression IS NOT NULL,
           board._constant(d.expression)
      FROM pg_proc AS p
     CROSS JOIN LATERAL unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]),
                               p.proargmodes)
           WITH ORDINALITY AS a (name, type, mode, place)
     CROSS JOIN LATERAL pg_get_function_arg_default(p.oid, a.place::int) AS d (expression)
     WHERE p.proname IN (_action_arguments.action, '_show_' || _action_arguments.action)
       AND p.pronamespace = 'board'::regnamespace
       AND coalesce(a.mode IN ('i', 'b'), true)
       AND a.type <> 'board.access_tokens'::regtype
       AND a.type <> 'board.access_tokens'::regtype
     ORDER BY a.place;
END;
$$;

COMMENT ON FUNCTION board._action_arguments IS
    'Private: the arguments of an action of request(), in the order of its function.';
