CREATE OR REPLACE FUNCTION board._lock_compared(
    kind           text,
    correlation_id text,
    step           text)
RETURNS board.compared_steps
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _row board.compared_steps;
BEGIN
    SELECT c.*
      INTO _row
      FROM board.compared_steps AS c
     WHERE c.kind = _lock_compared.kind
       AND c.correlation_id = _lock_compared.correlation_id
       AND c.step = _lock_compared.step
       FOR NO KEY UPDATE;
    RETURN _row;
END;
$$;

COMMENT ON FUNCTION board._lock_compared(text, text, text) IS
    'Private: locks one compared step by primary key and returns it; a row of NULLs when there is '
    'none.';
