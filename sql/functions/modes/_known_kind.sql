CREATE OR REPLACE FUNCTION board._known_kind(name text)
RETURNS board.kinds
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _kind board.kinds;
BEGIN
    -- A kind with tasks may have no row of its own, a kind that was configured no task yet: either
    -- is known. Locks nothing.
    PERFORM board._check_name(name, 'kind');
    _kind := board._kind_policy(name);
    IF NOT EXISTS (SELECT FROM board.kind_names AS n WHERE n.name = _known_kind.name)
       AND NOT EXISTS (SELECT FROM board.kinds AS k WHERE k.name = _known_kind.name) THEN
        PERFORM board._invalid_argument('kind',
            format('is "%s", which is no kind on this board', name),
            'A kind comes into being with its first task, or when an operator configures it.');
    END IF;
    RETURN _kind;
END;
$$;

COMMENT ON FUNCTION board._known_kind IS
    'Private: the policy of a kind; 22023 when nothing on the board has that name.';
