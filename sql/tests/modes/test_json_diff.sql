-- The structural difference of two documents: equal is what JSON calls equal, and every difference
-- has its exact path.
BEGIN;
SELECT plan(40);

-- Equal.
SELECT is(board._json_diff('{"a": 1, "b": 2}', '{"b": 2, "a": 1.0}'), '{}', 'key order and 1.0 are no difference');
SELECT is(board._json_diff('[1.50, 1e2]', '[1.5, 100]'), '{}', 'nor is any other spelling of a number');
SELECT is(board._json_diff('{"a": {"b": [{}, [], null]}}', '{"a": {"b": [{}, [], null]}}'), '{}', 'nested and equal');
SELECT is(board._json_diff('null', 'null'), '{}', 'null equals null');
SELECT is(board._json_diff('{"a": 1, "a": 2}', '{"a": 2}'), '{}', 'of a repeated key the last one counts, as jsonb has it');

-- Differing scalars and kinds of value.
SELECT is(board._json_diff('1', '2'), '{$}', 'the root itself');
SELECT is(board._json_diff('1', '"1"'), '{$}', 'a number is not a text');
SELECT is(board._json_diff('true', '"true"'), '{$}', 'nor is a boolean');
SELECT is(board._json_diff('{}', '[]'), '{$}', 'an object is not an array');
SELECT is(board._json_diff('{"a": {}}', '{"a": null}'), '{$.a}', 'an empty object is not null');
SELECT is(board._json_diff('{"a": ""}', '{"a": null}'), '{$.a}', 'an empty text is not null');
SELECT is(board._json_diff('{"a": "x"}', '{"a": "X"}'), '{$.a}', 'texts are compared to the letter');
SELECT is(board._json_diff('{"a": 0.1}', '{"a": 0.10000000000000000001}'), '{$.a}', 'numbers to the last digit');

-- Missing against null.
SELECT is(board._json_diff('{"a": null}', '{}'), '{$.a}', 'null against a missing member');
SELECT is(board._json_diff('{}', '{"a": null}'), '{$.a}', 'a missing member against null');
SELECT is(board._json_diff('[1, null]', '[1]'), '{$[1]}', 'null against a missing element');
SELECT is(board._json_diff('[1]', '[1, null]'), '{$[1]}', 'a missing element against null');

-- Exact paths.
SELECT is(
    board._json_diff('{"items": [{"price": 1}, {"price": 2}, {"price": 3}]}',
                     '{"items": [{"price": 1}, {"price": 2}, {"price": 4}]}'),
    '{$.items[2].price}', 'the price of the third item');
SELECT is(
    board._json_diff('[[1, [2, [3, 4]]], 5]', '[[1, [2, [3, 9]]], 5]'),
    '{$[0][1][1][1]}', 'arrays in arrays');
SELECT is(
    board._json_diff('{"a": [1, 2, 3], "b": {"c": 1, "d": 2}, "z": 0}',
                     '{"a": [1, 9], "b": {"c": 2, "e": 2}, "z": 0}'),
    '{$.a[1],$.a[2],$.b.c,$.b.d,$.b.e}', 'all of them, and nothing that is equal');
SELECT is(
    board._json_diff((SELECT jsonb_agg(n) FROM generate_series(0, 11) AS n),
                     (SELECT jsonb_agg(n * CASE WHEN n IN (2, 10, 11) THEN -1 ELSE 1 END)
                        FROM generate_series(0, 11) AS n)),
    '{$[2],$[10],$[11]}', 'elements in the order of the document: 2 before 10');
SELECT is(
    board._json_diff('{"a": {"b": {"c": 1}}}', '{"a": {"b": 1}}'),
    '{$.a.b}', 'as deep as both sides have the same structure');
SELECT is(board._json_diff('[1, 2, 3]', '[2, 3]'), '{$[0],$[1],$[2]}', 'elements are compared by position');

-- Names that need quotes.
SELECT is(board._json_diff('{"a b": 1}', '{}'), ARRAY['$."a b"'], 'a name with a blank');
SELECT is(board._json_diff('{"a.b": {"[0]": 1}}', '{"a.b": {"[0]": 2}}'), ARRAY['$."a.b"."[0]"'], 'names that look like steps');
SELECT is(board._json_diff('{"": 1}', '{}'), ARRAY['$.""'], 'an empty name');
SELECT is(board._json_diff('{"*": 1}', '{}'), ARRAY['$."*"'], 'a star is a name');
SELECT is(board._json_diff('{"say \"hi\"\\\n": 1}', '{}'), ARRAY['$."say \"hi\"\\\n"'], 'quotes, backslashes and line ends');
SELECT is(board._json_diff('{"Straße": 1}', '{}'), ARRAY['$."Straße"'], 'letters beyond ASCII');
SELECT is(board._json_diff('{"_x9": 1, "9x": 1}', '{}'), ARRAY['$."9x"', '$._x9'], 'a bare name does not begin with a digit');

-- Every path that comes out casts to jsonpath and leads to the two values that differ.
CREATE TEMPORARY TABLE odd ON COMMIT DROP AS
SELECT jsonb_object_agg(k.key, 1) AS a, jsonb_object_agg(k.key, 2) AS b
  FROM (VALUES (''), ('a'), ('a b'), ('"'), ('\'), ('\"'), (E'\n'), (E'\t\r\b\f'), (E'\u007f'),
      (E'\u0001'), ('é'),
               ('😀'), ('null'), ('true'), ('is'), ('last'), ('strict'), ('exists'), ('to'), ('$'),
                      ('@'), ('*'),
               ('**'), ('[0]'), ('.'), ('/'), ('\u0041'), ('size()'), ('0'), ('type')) AS k (key);
SELECT is(cardinality(board._json_diff(o.a, o.b)), 30,
    'thirty odd names, thirty paths')
  FROM odd AS o;
SELECT is_empty($$
    SELECT p.path FROM odd AS o CROSS JOIN unnest(board._json_diff(o.a, o.b)) AS p (path)
     WHERE jsonb_path_query_array(o.a, ('strict ' || p.path)::jsonpath) IS DISTINCT FROM '[1]'
        OR jsonb_path_query_array(o.b, ('strict ' || p.path)::jsonpath) IS DISTINCT FROM '[2]'
$$, 'each of them is a jsonpath to the place');
SELECT is_empty($$
    SELECT p.path FROM odd AS o CROSS JOIN unnest(board._json_diff(o.a, o.b)) AS p (path)
     WHERE '$' || array_to_string(board._path_steps(p.path), '') IS DISTINCT FROM p.path
$$, 'each of them reads back into its steps');

-- What one comparison costs and keeps is bounded, however deep a document is or long its names are.
SELECT is(board._json_diff((repeat('[', d.depth) || '1' || repeat(']', d.depth))::jsonb,
                           (repeat('[', d.depth) || '2' || repeat(']', d.depth))::jsonb),
          ARRAY['$' || repeat('[0]', least(d.depth, 100))], format('%s levels down', d.depth))
  FROM (VALUES (99), (100), (101), (5000)) AS d (depth);
SELECT is(
    board._json_diff(jsonb_build_object(repeat('k', 1200), '[1, 2]'::jsonb, 's', '[1]'::jsonb),
                     jsonb_build_object(repeat('k', 1200), '[3, 4]'::jsonb, 's', '[2]'::jsonb)),
    ARRAY['$.' || repeat('k', 1200), '$.s[0]'],
    'no path below one of 1,000 characters: it would be repeated for each');
SELECT is((SELECT array_agg(cardinality(d.value)) FROM board._compare(
              (SELECT jsonb_build_object('a', jsonb_agg(n)) FROM generate_series(1, 3000) AS n),
              (SELECT jsonb_build_object('a', jsonb_agg(-n)) FROM generate_series(1, 3000) AS n),
              '{$.a[*]}') AS c
           CROSS JOIN LATERAL (VALUES (c.paths), (c.ignored)) AS d (value)),
          '{0,1000}', 'the first thousand of them are kept');
SELECT is((SELECT c.paths[1000] FROM board._compare(
              (SELECT jsonb_agg(n) FROM generate_series(1, 3000) AS n),
              (SELECT jsonb_agg(-n) FROM generate_series(1, 3000) AS n), '{$[7]}') AS c),
          '$[1000]', 'in document order');

SELECT * FROM finish();
ROLLBACK;
