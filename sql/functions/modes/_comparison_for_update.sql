CREATE OR REPLACE FUNCTION board._comparison_for_update(
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
    -- NO KEY UPDATE: enough for two who bring the two sides of one step to come one after the
    -- other; the evidence that refers to the row is not held up.
    SELECT c.*
      INTO _row
      FROM board.compared_steps AS c
     WHERE c.kind = _comparison_for_update.kind
       AND c.correlation_id = _comparison_for_update.correlation_id
       AND c.step = _comparison_for_update.step
       FOR NO KEY UPDATE;
    RETURN _row;
END;
$$;

COMMENT ON FUNCTION board._comparison_for_update IS
    'Private: locks one compared step by primary key and returns it; a row of NULLs when there is '
    'none.';
