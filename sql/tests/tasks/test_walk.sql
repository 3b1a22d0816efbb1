-- The memory of an expensive walk: used for a second, never believed blindly.
BEGIN;
SELECT plan(16);
CREATE TEMP TABLE ids AS SELECT m.id,
    m.n FROM board.enqueue_many('k',
        ARRAY(SELECT '{}'::jsonb FROM generate_series(1, 9))) WITH ORDINALITY AS m (id, n);
SELECT set_config('board.walk',
    'walk' || hashtextextended('k', 0) || ':'
        || ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint + 900000) || ':-1:'
    || (SELECT (extract(epoch FROM t.created_at) * 1000000)::bigint FROM board.tasks
        AS t JOIN ids USING (id) WHERE n = 5) || ':'
    || (SELECT id FROM ids WHERE n = 5) || ';', false);
SELECT is((SELECT c.id FROM board.claim('a') AS c), (SELECT id FROM ids
    WHERE n = 5), 'a fresh memory: the walk begins there');
SELECT is((SELECT count(*) FROM board.claim('a', max_tasks => 9)), 8::bigint,
    'nothing further on: the walk begins at the head again, nothing is lost');
SELECT is(current_setting('board.walk'), '', 'and the memory is gone');
SELECT board.enqueue('k');
SELECT set_config('board.walk',
    'walk' || hashtextextended('k', 0) || ':'
        || ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint + 90000000)
    || ':2147483:1:ffffffff-ffff-ffff-ffff-ffffffffffff;', false);
SELECT is((SELECT f.rank FROM board._walk_from('k', clock_timestamp()) AS f), -2147483648,
    'a memory from the future is ignored');
SELECT lives_ok(
    format($$SELECT set_config('board.walk', %L, false),
        board._walk_from('k', clock_timestamp())$$, g.garbage), 'garbage: ' || left(g.garbage, 30))
  FROM (SELECT 'walk' || hashtextextended('k', 0)) AS w (key)
 CROSS JOIN LATERAL (VALUES ('x'), (w.key),
     (w.key || ':9999999999999999:-1:1:ffffffff-ffff-ffff-ffff-ffffffffffff;'),
     (w.key || ':1:99999999999:1:x;'), (repeat(w.key || ':', 1000)), (E'\u0001;;;'))
     AS g (garbage);
SELECT set_config('board.walk', '', false);
SELECT is((SELECT count(*) FROM board.claim('a')), 1::bigint, 'the task is there all the same');
SELECT is((SELECT current_setting('board.walk', true)), '', 'a cheap walk is not remembered');

-- Both memories of a kind live side by side.
SELECT set_config('board.walk', 'due' || hashtextextended('k', 0) || ':'
    || (extract(epoch FROM clock_timestamp()) * 1000000)::bigint || ';', false);
SELECT board._remember_walk('k', (SELECT id FROM ids WHERE n = 5),
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + 900000,
    clock_timestamp(), clock_timestamp());
SELECT ok(board._due_from('k', clock_timestamp()) > '-infinity',
    'where the walk stood is noted, when nothing was due is still known');
SELECT is((SELECT f.id FROM board._walk_from('k', clock_timestamp()) AS f),
    (SELECT id FROM ids WHERE n = 5), 'and the walk goes on from there');

-- A memory that nothing was due hides a lapsed task from nobody who finds nothing else.
DO $$ BEGIN PERFORM board.enqueue('lost'); PERFORM board.claim('a', kinds => ARRAY['lost']);
    UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 minute'
        WHERE kind = 'lost'; END $$;
SELECT set_config('board.walk', 'due' || hashtextextended('lost', 0) || ':'
    || (extract(epoch FROM clock_timestamp()) * 1000000)::bigint || ';', false);
SELECT is((SELECT count(*) FROM board.claim('b', kinds => ARRAY['lost'])), 1::bigint,
    'claim looks at everything before it says that there is nothing');
SELECT set_config('board.walk', 'due' || hashtextextended('k', 0) || ':'
    || (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1100000 || ';', false);
SELECT is(board._due_from('k', clock_timestamp()), '-infinity'::timestamptz,
    'a memory older than a second is ignored');

SELECT * FROM finish();
ROLLBACK;
