-- lock_key and try_lock in one session. That they keep others out is tests/isolation's to show.
BEGIN;
SELECT plan(19);

CREATE FUNCTION pg_temp.held(resource text) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM pg_locks AS l
     WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid() AND l.objsubid = 1
       AND (l.classid::bigint << 32) | l.objid::bigint = board.lock_key(held.resource);
$$;

-- Vector: printf %s order_123 | sha256sum
SELECT is(board.lock_key('order_123'), (-5057242530626972018)::bigint, 'the first 8 bytes of the SHA-256');
SELECT is(board.lock_key('ключ'), (2153681812738117024)::bigint, 'of the UTF-8 bytes');
SELECT is(board.lock_key(''), x'e3b0c44298fc1c14'::bigint, 'of any text');
SELECT is(board.lock_key(NULL), NULL, 'NULL has none');
SELECT is(hashtext('task:25796'), hashtext('task:126210'), 'two names that hashtext takes for one');
SELECT isnt(board.lock_key('task:25796'), board.lock_key('task:126210'), 'have two keys');
SELECT is(count(DISTINCT board.lock_key('task:' || n)), 300000::bigint, 'as have 300,000 names')
  FROM generate_series(1, 300000) AS n;

SELECT is(board.try_lock('r'), true, 'a free resource is locked');
SELECT is(board.try_lock('r'), true, 'its session may lock it again');
SELECT is(pg_temp.held('r'), 1::bigint, 'under the key that lock_key tells');
SELECT isnt(board.acquire_lock('r', 'a'), NULL, 'acquire_lock is another matter');

SAVEPOINT before;
SELECT is(board.try_lock('s'), true, 'locked after a savepoint');
ROLLBACK TO SAVEPOINT before;
SELECT is(pg_temp.held('s'), 0::bigint, 'rolled back, it is free');
SELECT is(pg_temp.held('r'), 1::bigint, 'what was locked before it stays');

SELECT throws_ok($$SELECT board.try_lock(NULL)$$,
                 '22023', 'invalid value for argument "resource"', 'NULL');
SELECT throws_ok($$SELECT board.try_lock('')$$, '22023', 'invalid value for argument "resource"', 'empty');
SELECT throws_ok($$SELECT board.try_lock(repeat('x', 201))$$,
                 '22023', 'invalid value for argument "resource"', 'too long');
SELECT throws_ok($$SELECT board.try_lock(E'\t')$$,
                 '22023', 'invalid value for argument "resource"', 'a control character');
SELECT is_empty(
    $$SELECT FROM pg_proc AS p WHERE p.pronamespace = 'board'::regnamespace
        AND p.prosrc ~ 'pg_(try_)?advisory_(lock|unlock)'$$,
    'no function of the board takes a session-level advisory lock');

SELECT * FROM finish();
ROLLBACK;
