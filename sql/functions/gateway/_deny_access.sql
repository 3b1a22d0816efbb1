CREATE OR REPLACE FUNCTION board._deny_access(code text)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- One text for wrong, truncated, expired and revoked tokens and for the scope of another:
    -- whoever tries tokens out learns nothing.
    RAISE EXCEPTION USING
        ERRCODE = code,
        MESSAGE = 'request refused',
        DETAIL = 'The token is not good for this action, or not good at all.',
        HINT = 'Ask whoever gave you the token for another one.';
END;
$$;

COMMENT ON FUNCTION board._deny_access IS
    'Private: the one refusal of request(), as 28000 or 42501.';
