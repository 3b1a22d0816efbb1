CREATE OR REPLACE FUNCTION board._run_end(
    kinds   text[],
    begin_  int,
    special text[])
RETURNS int
LANGUAGE plpgsql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    _end int := begin_;
BEGIN
    -- All of them where no kind is special; else those of one special kind, or of ordinary ones.
    IF special = '{}' THEN
        RETURN cardinality(kinds);
    ELSIF kinds[begin_] = ANY (special) THEN
        WHILE kinds[_end + 1] = kinds[begin_] LOOP
            _end := _end + 1;
        END LOOP;
    ELSE
        WHILE kinds[_end + 1] <> ALL (special) LOOP
            _end := _end + 1;
        END LOOP;
    END IF;
    RETURN _end;
END;
$$;

COMMENT ON FUNCTION board._run_end IS
    'Private: where the run of tasks that are judged together ends which begins at that place in a '
    'list of their kinds.';
