CREATE OR REPLACE FUNCTION board.help(topic text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql
STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET intervalstyle = 'postgres'
SET quote_all_identifiers = off
AS $$
DECLARE
    _topic text := lower(regexp_replace(help.topic, $re$^\w+\.$re$, ''));
    _text text;
BEGIN
    -- A topic of its own, or else a function, view or table by name: then its COMMENT is the help.
    _text := board._help_topic(coalesce(_topic, 'start'));
    IF _text IS NOT NULL THEN
        RETURN _text;
    END IF;
    SELECT string_agg(d.text, E'\n\n' ORDER BY d.text) INTO _text
      FROM (SELECT format(E'board.%s(%s)%s→ %s\n\n%s', p.proname,
                          -- Folded at a comma: psql makes every line as wide as the widest one.
                          regexp_replace(s.arguments, '(.{40,}?), ', E'\\1,\n    ', 'g'),
                          CASE WHEN length(s.arguments) > 50 THEN E'\n    ' ELSE ' ' END,
                          regexp_replace(pg_get_function_result(p.oid), '(.{60,}?), ',
                                         E'\\1,\n      ', 'g'),
                          obj_description(p.oid, 'pg_proc'))
              FROM pg_proc AS p,
                   regexp_replace(pg_get_function_arguments(p.oid), 'NULL::[^,]+', 'NULL', 'g')
                       AS s (arguments)
             WHERE p.pronamespace = 'board'::regnamespace
               AND p.proname = _topic
               AND p.proname !~ '^_'
            UNION ALL
            SELECT format(E'board.%s\n\n%s\n\n%s', c.relname,
                          regexp_replace(obj_description(c.oid, 'pg_class'), '(.{70,90}?) ',
                                         E'\\1\n', 'g'),
                          (SELECT string_agg(rpad(a.attname, 18) || ' ' || regexp_replace(
                                      col_description(c.oid, a.attnum), '(.{60,75}?) ',
                                      E'\\1\n' || repeat(' ', 19), 'g'),
                                      E'\n' ORDER BY a.attnum)
                             FROM pg_attribute AS a
                            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped))
              FROM pg_class AS c
             WHERE c.relnamespace = 'board'::regnamespace
               AND c.relname = _topic
               AND c.relkind IN ('r', 'v')) AS d (text);
    IF _text IS NULL THEN
        PERFORM board._invalid_argument('topic', format('is "%s"', left(help.topic, 100)),
            'SELECT board.help() lists the topics; any public function, view or table is one too.');
    END IF;
    RETURN _text;
END;
$$;

COMMENT ON FUNCTION board.help IS
$$The manual, for agents and people that have only psql.

topic  NULL: where to start and what topics there are; else a topic, or the name of a function, view
       or table

Errors: 22023 for an unknown topic.
Example: SELECT board.help('claim');$$;
