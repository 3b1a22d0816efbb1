CREATE OR REPLACE FUNCTION board._call_provider(name text)
RETURNS board.providers
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _provider board.providers;
BEGIN
    SELECT p.* INTO _provider FROM board.providers AS p WHERE p.name = _call_provider.name;
    IF NOT FOUND AND name IS NOT NULL THEN
        PERFORM board._refuse('provider', format('is "%s", which is not configured', name),
                              'Configure it first with board.configure_provider().');
    END IF;
    RETURN _provider;
END;
$$;

COMMENT ON FUNCTION board._call_provider(text) IS
    'Private: the provider''s row, a row of NULLs for NULL; 22023 when there is none of that name.';
