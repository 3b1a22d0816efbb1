-- The memory of a long walk: used for a second, never believed blindly.
BEGIN;
SELECT plan(17);
CREATE TEMP TABLE ids AS SELECT m.id,
    m.n FROM board.enqueue_many('k',
        ARRAY(SELECT '{}'::jsonb FROM generate_series(1, 9))) WITH ORDINALITY AS m (id, n);
CREATE FUNCTION pg_temp.us(span interval DEFAULT '0') RETURNS bigint LANGUAGE sql AS $$
    SELECT (extract(epoch FROM clock_timestamp() + span) * 1000000)::bigint $$;
-- What a session would have noted: the walk for these kinds stood at the n-th task.
CREATE FUNCTION pg_temp.memory(key text, n bigint, ago interval, due bigint DEFAULT 0)
RETURNS text LANGUAGE sql AS $$
    SELECT format('%s;%s:-1:%s:%s;%s', key, pg_temp.us(-ago),
                  (extract(epoch FROM t.created_at) * 1000000)::bigint, t.id, due)
      FROM board.tasks AS t JOIN ids USING (id) WHERE ids.n = memory.n $$;

SELECT set_config('board.walk', pg_temp.memory('0', 4, '0.1 s'), false);
SELECT is((SELECT c.id FROM board.claim('a') AS c), (SELECT id FROM ids WHERE n = 5),
    'a fresh memory: the walk begins behind that place');
SELECT is((SELECT f.id FROM board._walk_from(NULL, clock_timestamp()) AS f),
    (SELECT id FROM ids WHERE n = 5), 'and moves on');
SELECT is((SELECT substring(current_setting('board.walk') FROM ';([0-9]+):')::bigint
    BETWEEN pg_temp.us('-1 s') AND pg_temp.us('-0.1 s')), true, 'but keeps its time');
SELECT set_config('board.walk', pg_temp.memory(hashtextextended('{k}', 0)::text, 6, '0.1 s'),
    false);
SELECT is((SELECT c.id FROM board.claim('a', kinds => ARRAY['k']) AS c),
    (SELECT id FROM ids WHERE n = 7), 'the same for one kind');
SELECT is((SELECT f.rank FROM board._walk_from(ARRAY['j'], clock_timestamp()) AS f), -2147483648,
    'a memory for other kinds is ignored');
SELECT is((SELECT count(*) FROM board.claim('a', kinds => ARRAY['k'], max_tasks => 9)), 7::bigint,
    'nothing further on: the walk begins at the head again, nothing is lost');
SELECT is(current_setting('board.walk'), '', 'and the memory is gone');

SELECT set_config('board.walk', pg_temp.memory('0', 4, '-90 s'), false);
SELECT is((SELECT f.rank FROM board._walk_from(NULL, clock_timestamp()) AS f), -2147483648,
    'a memory from the future is ignored');
SELECT set_config('board.walk', pg_temp.memory('0', 4, '1.1 s', pg_temp.us('-1.1 s')), false);
SELECT results_eq(
    $$SELECT f.rank, f.due_after FROM board._walk_from(NULL, clock_timestamp()) AS f$$,
    $$VALUES (-2147483648, '-infinity'::timestamptz)$$, 'a memory older than a second is ignored');
SELECT lives_ok(
    format($$SELECT set_config('board.walk', %L, false), f.*
        FROM board._walk_from(NULL, clock_timestamp()) AS f$$, g.garbage),
    'garbage: ' || left(g.garbage, 30))
  FROM (VALUES ('x'), ('0;'),
     ('0;9999999999999999:-1:1:ffffffff-ffff-ffff-ffff-ffffffffffff;9999999999999999'),
     ('0;1:99999999999:1:x;1')) AS g (garbage);

-- A memory that nothing was due hides a lapsed task from nobody who finds nothing else.
DO $$ BEGIN PERFORM board.enqueue('lost'); PERFORM board.claim('a', kinds => ARRAY['lost']);
    UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 minute'
        WHERE kind = 'lost'; END $$;
SELECT set_config('board.walk', '0;0:0:0:00000000-0000-0000-0000-000000000000;' || pg_temp.us(),
    false);
SELECT is((SELECT f.due_after > '-infinity' FROM board._walk_from(NULL, clock_timestamp()) AS f),
    true, 'that nothing was due is remembered');
SELECT is((SELECT count(*) FROM board.claim('b')), 1::bigint,
    'claim looks at everything before it says that there is nothing');
SELECT board.enqueue('k');
SELECT board.claim('a');
SELECT is((SELECT current_setting('board.walk', true)), '', 'a cheap walk is not remembered');
SELECT board._remember_walk(NULL, 9999, -1, clock_timestamp(),
    (SELECT id FROM ids WHERE n = 5), NULL);
SELECT is((SELECT current_setting('board.walk', true)), '',
    'nor a long one of a table without many dead rows');

SELECT * FROM finish();
ROLLBACK;
