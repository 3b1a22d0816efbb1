-- Ignored paths hide noise and nothing else; the verdict says that something was hidden.
BEGIN;
SELECT plan(45);

-- Whether the entry of ignored_paths covers the path.
CREATE FUNCTION pg_temp.covers(entry text, path text) RETURNS boolean LANGUAGE sql
AS $$ SELECT coalesce(path ~ board._ignored_pattern(ARRAY[entry]), false) $$;

SELECT ok(pg_temp.covers('$.at', '$.at'), 'the place itself');
SELECT ok(pg_temp.covers('$.at', '$.at.utc[0]'), 'and what lies below it');
SELECT ok(NOT pg_temp.covers('$.at', '$.attempt'), 'not a name that begins alike');
SELECT ok(NOT pg_temp.covers('$.at', '$'), 'not what lies above');
SELECT ok(NOT pg_temp.covers('$.at', '$.meta.at'), 'not the same name elsewhere');
SELECT ok(pg_temp.covers('$.items[1].at', '$.items[1].at'), 'an index');
SELECT ok(NOT pg_temp.covers('$.items[1].at', '$.items[11].at'), 'not an index that begins alike');
SELECT ok(NOT pg_temp.covers('$.items[1]', '$.items[10]'), 'nor at the end');

SELECT ok(pg_temp.covers('$.items[*].at', '$.items[7].at'), '[*] is any element');
SELECT ok(pg_temp.covers('$.items.*.at', '$.items[7].at'), '.* is any one step, too');
SELECT ok(pg_temp.covers('$.*.at', '$.meta.at'), '.* is any member');
SELECT ok(pg_temp.covers('$.*.at', '$."odd \"name\".".at'), 'whatever its name');
SELECT ok(NOT pg_temp.covers('$.items[*].at', '$.items[7].price'), 'the step after * counts');
SELECT ok(NOT pg_temp.covers('$.*.at', '$.at'), '* is one step, not none');
SELECT ok(NOT pg_temp.covers('$.*.at', '$.a.b.at'), '* is one step, not two');
SELECT ok(NOT pg_temp.covers('$.items[*].at', '$.items'), 'not the array itself');
SELECT ok(pg_temp.covers('$[*][*].x', '$[3][4].x.y'), 'several of them');
SELECT ok(NOT pg_temp.covers('$."*".at', '$.meta.at'), 'a star in quotes is a name');
SELECT ok(pg_temp.covers('$."*".at', '$."*".at'), 'and matches that name');
SELECT ok(pg_temp.covers('$."at"', '$.at'), 'quotes that are not needed change nothing');
SELECT ok(pg_temp.covers('$."\u0061t"', '$.at'), 'nor do escapes');
SELECT ok(pg_temp.covers('$."a.b[0]"', '$."a.b[0]"'), 'a name that looks like steps');
SELECT ok(NOT pg_temp.covers('$."a.b[0]"', '$.a.b[0]'), 'is not those steps');
SELECT ok(NOT pg_temp.covers('$."a.c"', '$."abc"'), 'a dot in a name is a dot');
SELECT ok(NOT pg_temp.covers('$."a+(b)|\\"', '$."aab"'), 'nothing in a name is a pattern');
SELECT ok(pg_temp.covers('$."a+(b)|\\"', '$."a+(b)|\\"'), 'such a name matches itself');

-- A slip hides nothing.
SELECT is_empty($$
    SELECT e.entry
      FROM (VALUES (''), ('$'), ('$.*'), ('$[*]'), ('$.*[*]'), ('at'), ('.at'), ('$at'), ('$.'),
             ('$..at'), ('$.at.'),
                   ('$.a t'), ('$[01]'), ('$[-1]'), ('$[last]'), ('$.**'), ('$."at'), ('$.at[0'),
                          ('$ .at'),
                   ('$."\u0000"'), ('$."\ud800"'), (NULL)) AS e (entry)
     WHERE board._ignored_pattern(ARRAY[e.entry]) IS NOT NULL
$$, 'what is no path, or names nothing, covers nothing');
SELECT ok('$.at' ~ board._ignored_pattern('{$,nonsense,$.at}'), 'it does not spoil the entries beside it');
SELECT is(board._ignored_pattern('{}'), NULL, 'no entries, no pattern');

-- What configure_kind asks.
SELECT lives_ok(
    $$ SELECT board._check_ignored_paths(ARRAY['$.at', '$.items[*].price', '$."odd name"[0]']) $$,
    'paths are taken');
SELECT lives_ok($$ SELECT board._check_ignored_paths(NULL) $$, 'NULL is "not passed"');
SELECT throws_ok($$ SELECT board._check_ignored_paths('{$.at,at}') $$, '22023', 'invalid value for argument "ignored_paths"',
    'what is no path is refused');
SELECT throws_ok($$ SELECT board._check_ignored_paths(ARRAY[NULL]::text[]) $$, '22023', 'invalid value for argument "ignored_paths"',
    'so is NULL in it');
SELECT throws_ok($$ SELECT board._check_ignored_paths('{$}') $$, '22023', NULL, 'so is the whole document');
SELECT throws_ok($$ SELECT board._check_ignored_paths('{$.*[*]}') $$, '22023', NULL, 'also as wildcards only');
SELECT throws_ok($$ SELECT board._check_ignored_paths(array_fill('$.a'::text, ARRAY[101])) $$,
    '22023', NULL, 'so are more than a hundred');
SELECT throws_ok(
    $$ SELECT board._check_ignored_paths(
           array_fill('$' || repeat('.*', 400) || '.a', ARRAY[100])) $$,
    '22023', NULL, 'so is what would take minutes to compile');
SELECT throws_ok(
    $$ SELECT board._check_ignored_paths(array_fill('$.' || repeat('a', 950), ARRAY[100])) $$,
    '22023', NULL, 'and what would not fit into memory');
SELECT lives_ok(
    $$ SELECT board._check_ignored_paths(array_fill('$.a[*].b[*].c[*].d'::text, ARRAY[100])) $$,
    'a hundred of the usual length are fine');

-- The verdict.
SELECT results_eq(
    $$ SELECT * FROM board._compare('{"a": 1, "at": "09:00"}', '{"a": 1.0, "at": "09:01"}',
           '{$.at}') $$,
    $$ VALUES ('ignored'::text, '{}'::text[], '{$.at}'::text[]) $$, 'noise only: ignored, and what was hidden is named');
SELECT results_eq(
    $$ SELECT * FROM board._compare('{"a": 1, "at": "09:00"}', '{"a": 2, "at": "09:01"}',
           '{$.at}') $$,
    $$ VALUES ('diverged'::text, '{$.a}'::text[], '{$.at}'::text[]) $$, 'noise and more: diverged, for the rest');
SELECT results_eq(
    $$ SELECT * FROM board._compare('{"at": 1}', '{"at": 1}', '{$.at}') $$,
    $$ VALUES ('matched'::text, '{}'::text[], '{}'::text[]) $$, 'nothing to hide: matched');
SELECT results_eq(
    $$ SELECT * FROM board._compare('{"meta": {"at": 1}}', '{}', '{$.meta.at}') $$,
    $$ VALUES ('diverged'::text, '{$.meta}'::text[], '{}'::text[]) $$, 'what holds the noise is not noise itself');
SELECT results_eq(
    $$ SELECT * FROM board._compare('{"items": [{"id": "x", "n": 1}, {"id": "y", "n": 2}]}',
                                    '{"items": [{"id": "p", "n": 1}, {"id": "q", "n": 3}]}',
                                           '{$.items[*].id}') $$,
    $$ VALUES ('diverged'::text, '{$.items[1].n}'::text[],
           '{$.items[0].id,$.items[1].id}'::text[]) $$,
    'every element''s id is hidden, a count is not');
SELECT results_eq(
    $$ SELECT * FROM board._compare('{}', NULL, '{$.at}') $$,
    $$ VALUES ('missing'::text, '{}'::text[], '{}'::text[]) $$, 'one side: missing');

SELECT * FROM finish();
ROLLBACK;
