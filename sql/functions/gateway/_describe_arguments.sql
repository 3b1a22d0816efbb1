CREATE OR REPLACE FUNCTION board._describe_arguments(expected text[])
RETURNS text
LANGUAGE sql
IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN count(*) = 0 THEN 'It takes no arguments.'
                ELSE format('It takes %s.', string_agg(e.argument, ', ' ORDER BY e.place)) END
      FROM unnest(expected) WITH ORDINALITY AS e (argument, place)
     WHERE e.argument NOT LIKE '% who';
$$;

COMMENT ON FUNCTION board._describe_arguments IS
    'Private: a sentence that lists the arguments of an action.';
