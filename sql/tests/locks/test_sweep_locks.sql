-- The table of locks does not grow for ever: whoever adds a row takes old ones away, a few at a
-- time, and nothing that is held or ended only now.
BEGIN;
SELECT plan(6);

CREATE PROCEDURE pg_temp.take(prefix text, locks int) LANGUAGE sql AS $$
    SELECT board.acquire_lock(prefix || n, 'a') FROM generate_series(1, locks) AS n;
$$;

CALL pg_temp.take('live ', 200);
CALL pg_temp.take('dead ', 2000);
UPDATE board.locks AS l SET held_until = clock_timestamp() - interval '11 minutes'
 WHERE l.resource ^@ 'dead';
CALL pg_temp.take('just ended ', 20);
UPDATE board.locks AS l SET held_until = clock_timestamp() - interval '9 minutes'
 WHERE l.resource ^@ 'just';

CREATE TEMPORARY TABLE before AS
SELECT count(*) AS rows FROM board.locks AS l WHERE l.resource ^@ 'dead';
DO $$ BEGIN PERFORM board._delete_lapsed_locks(); END $$;
SELECT ok(b.rows - count(l.resource) <= 4, 'one sweep takes away at most 4 rows')
  FROM before AS b LEFT JOIN board.locks AS l ON l.resource ^@ 'dead' GROUP BY b.rows;

CALL pg_temp.take('more ', 3000);
SELECT cmp_ok(count(*), '<', 250::bigint, 'after 3,000 more resources the 2,000 old ones are nearly gone')
  FROM board.locks AS l WHERE l.resource ^@ 'dead';
SELECT is(count(*), 200::bigint, 'what is held stays')
  FROM board.locks_held AS h WHERE h.resource ^@ 'live';
SELECT is(count(*), 3000::bigint, 'what was added stays')
  FROM board.locks_held AS h WHERE h.resource ^@ 'more';
SELECT is(count(*), 20::bigint, 'what ended a moment ago stays, somebody may want it')
  FROM board.locks AS l WHERE l.resource ^@ 'just';

SELECT cmp_ok(board.acquire_lock('dead 1', 'b'), '>', max(h.token),
              'a resource whose row is gone has a higher token than any before')
  FROM board.locks_held AS h;

SELECT * FROM finish();
ROLLBACK;
