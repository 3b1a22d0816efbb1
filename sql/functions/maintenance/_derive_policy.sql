CREATE OR REPLACE FUNCTION board._derive_policy()
RETURNS trigger
LANGUAGE plpgsql
VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _bound boolean;
    _closed text[];
    _special text[];
BEGIN
    -- After any change of kinds or agents. Locks the row of settings first and reads in new
    -- statements: two who change two kinds at once derive one after the other, and the second sees
    -- what the first has committed. In REPEATABLE READ the second is 40001.
    PERFORM FROM board.settings AS s FOR UPDATE;
    _bound := EXISTS (SELECT FROM board.agents AS a);
    _closed := ARRAY(SELECT k.name FROM board.kinds AS k WHERE k.paused ORDER BY k.name);
    _special := ARRAY(
        SELECT k.name
          FROM board.kinds AS k
         WHERE k.max_in_progress IS NOT NULL OR k.provider IS NOT NULL AND k.mode = 'live'
         ORDER BY k.name);
    UPDATE board.settings AS s
       SET names_bound = _bound, closed_kinds = _closed, special_kinds = _special
     WHERE (s.names_bound, s.closed_kinds, s.special_kinds)
           IS DISTINCT FROM (_bound, _closed, _special);
    RETURN NULL;
END;
$$;

COMMENT ON FUNCTION board._derive_policy IS
    'Private: trigger on kinds and agents that keeps the derived columns of settings.';
