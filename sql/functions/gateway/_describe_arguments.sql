CREATE OR REPLACE FUNCTION board._describe_arguments(action text)
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
               WHEN count(*) = 0 THEN 'It takes no arguments.'
               ELSE format('It takes %s.', string_agg(
                   concat(a.name, ' ', a.type, ' = ' || a.standard::text), ', '
                   ORDER BY a.place))
           END
      FROM board._action_arguments(action) WITH ORDINALITY
        AS a (name, type, optional, standard, place)
     WHERE a.name NOT IN ('agent', 'actor');
$$;

COMMENT ON FUNCTION board._describe_arguments IS
    'Private: a sentence that lists the arguments of an action.';
