-- What is a name: nothing in it that nobody sees, so that two that look the same are the same.
BEGIN;
SELECT plan(34);

CREATE FUNCTION pg_temp.said(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    _detail text;
BEGIN
    PERFORM board._check_name(name, 'name');
    RETURN 'a name';
EXCEPTION WHEN invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS _detail = PG_EXCEPTION_DETAIL;
    RETURN _detail;
END $$;

SELECT is(pg_temp.said(n.name), 'a name', format('%L', n.name))
  FROM (VALUES ('a'), ('agent-7'), ('Anna Maria'), ('naïve'), ('漢字'), ('שלום'), ('سلام'), ('🧪'),
      (U&'e\0301'), ('"; DROP TABLE board.tasks; --'), (repeat('x', 200)), (E'\\u200b'))
    AS n (name);
SELECT is(pg_temp.said('send' || n.character || '_invoice'),
          '"name" has characters in it that nobody sees.', n.what)
  FROM (VALUES
    (U&'\00ad', 'soft hyphen'), (U&'\034f', 'combining grapheme joiner'),
    (U&'\061c', 'Arabic letter mark'), (U&'\180e', 'Mongolian vowel separator'),
    (U&'\200b', 'zero width space'), (U&'\200c', 'zero width non-joiner'),
    (U&'\200d', 'zero width joiner'), (U&'\200e', 'left-to-right mark'),
    (U&'\200f', 'right-to-left mark'), (U&'\2028', 'line separator'),
    (U&'\202e', 'right-to-left override'), (U&'\2060', 'word joiner'),
    (U&'\2066', 'left-to-right isolate'), (U&'\2069', 'pop directional isolate'),
    (U&'\3164', 'Hangul filler'), (U&'\fe0f', 'variation selector 16'),
    (U&'\feff', 'byte order mark'), (U&'\+0e0041', 'tag A')) AS n (character, what);
SELECT is(pg_temp.said(n.name), n.said, n.said)
  FROM (VALUES (NULL, '"name" is NULL.'), ('', '"name" has 0 characters.'),
      (E'a\nb', '"name" has control characters in it.'),
      (repeat('x', 201), '"name" has 201 characters.')) AS n (name, said);

SELECT * FROM finish();
ROLLBACK;
