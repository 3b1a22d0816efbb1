CREATE OR REPLACE FUNCTION board._check_violation(
    relation    regclass,
    constraint_ text,
    row_        jsonb)
RETURNS void
LANGUAGE plpgsql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _column record;
BEGIN
    -- What the table's CHECK refused as a row is refused as an argument: they have one name. The
    -- column's COMMENT says what it takes.
    SELECT a.attname AS name, col_description(a.attrelid, a.attnum) AS comment
      INTO _column
      FROM pg_constraint AS c
      JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
     WHERE c.conrelid = _check_violation.relation AND c.conname = _check_violation.constraint_;
    PERFORM board._invalid_argument(
        _column.name, format('is %s', left(row_ ->> _column.name, 100)), _column.comment);
END;
$$;

COMMENT ON FUNCTION board._check_violation IS
    'Private: raises 22023 for the column of a row that a CHECK constraint of its table refuses.';
