CREATE OR REPLACE FUNCTION board._help_errors()
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT E'Errors (SQLSTATE)\n\n' || string_agg(
               format('%s %s %s: %s', e.code, rpad(e.name, greatest(18, length(e.name))),
                      e.meaning, e.advice), E'\n' ORDER BY e.place)
      FROM board._error_codes() WITH ORDINALITY AS e (code, name, http, meaning, advice, place);
$$;

COMMENT ON FUNCTION board._help_errors IS 'Private: the text of help(''errors'').';
