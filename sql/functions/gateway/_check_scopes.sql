CREATE OR REPLACE FUNCTION board._check_scopes(scopes text[])
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _wrong text;
BEGIN
    -- A scope is a group, one action, or sign: and the name of a key: each must be spelt right, or
    -- a token can do nothing.
    IF coalesce(cardinality(scopes), 0) NOT BETWEEN 1 AND 100 OR array_ndims(scopes) <> 1 THEN
        PERFORM board._invalid_argument('scopes', 'is not a list of 1 to 100 scopes',
            'Pass ''{viewer}'', ''{agent}'', ''{operator}'' or a list of actions.');
    END IF;
    SELECT coalesce('"' || left(s.scope, 100) || '"', 'NULL') INTO _wrong
      FROM unnest(scopes) AS s (scope)
     WHERE coalesce(s.scope NOT IN ('viewer', 'agent', 'operator'), true)
       AND NOT EXISTS (SELECT FROM board._actions() AS a
                        WHERE a.action = s.scope AND a.scope <> 'sign')
       AND NOT EXISTS (SELECT FROM board.signing_keys AS k
                        WHERE k.signs AND 'sign:' || k.name = s.scope)
     LIMIT 1;
    IF FOUND THEN
        PERFORM board._invalid_argument('scopes', format('has %s in it, which is no scope', _wrong),
            format('Scopes are viewer, agent, operator, sign:KEY for a key that signs, and the actions '
                   '%s (but sign).', board._action_list()));
    END IF;
END;
$$;

COMMENT ON FUNCTION board._check_scopes IS
    'Private: one or more of viewer, agent, operator, the names of actions and sign:KEY; else 22023.';
