CREATE OR REPLACE FUNCTION board._ensure_kind(name text)
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Looks first: an insert that conflicts would still cost a dead row and a sequence of checks.
    -- A session that is about to make the same row is waited for: only operators' verbs come here.
    PERFORM FROM board.kinds AS k WHERE k.name = _ensure_kind.name;
    IF NOT FOUND THEN
        INSERT INTO board.kinds (name) VALUES (_ensure_kind.name)
            ON CONFLICT ON CONSTRAINT kinds_pkey DO NOTHING;
    END IF;
END;
$$;

COMMENT ON FUNCTION board._ensure_kind IS
    'Private: makes the row of a kind that has no policy of its own yet.';
