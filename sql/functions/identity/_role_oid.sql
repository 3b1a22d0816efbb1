CREATE OR REPLACE FUNCTION board._role_oid(role text)
RETURNS oid
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Called immutable so that a generated column may use it: the value is computed once, when the
    -- binding is written. A dump leaves generated columns out: a restore computes it anew, among
    -- the roles of the server that it restores to.
    RETURN to_regrole(quote_ident(role))::oid;
END;
$$;

COMMENT ON FUNCTION board._role_oid IS
    'Private: the oid of the role of that name, for the generated column agents.role_oid; NULL: '
    'there is none.';
