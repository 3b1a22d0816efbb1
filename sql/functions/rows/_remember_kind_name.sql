CREATE OR REPLACE FUNCTION board._remember_kind_name(name text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Locks nothing and waits for nobody: a session that brings the same new name at the same time
    -- is not seen, and the name is then there twice.
    IF NOT EXISTS (SELECT FROM board.kind_names AS n WHERE n.name = _remember_kind_name.name) THEN
        INSERT INTO board.kind_names (name) VALUES (_remember_kind_name.name);
    END IF;
END;
$$;

COMMENT ON FUNCTION board._remember_kind_name IS
    'Private: makes sure that the kind is known by its name.';
