-- heartbeat: extends what is held, NULL for everything else, an error for no lease at all never.
BEGIN;
SELECT plan(19);
CREATE TEMP TABLE held AS SELECT c.* FROM (SELECT board.enqueue('k')) AS e,
    board.claim('a', '10 seconds') AS c;
SELECT ok(board.heartbeat(id, 'a', '1 minute') BETWEEN clock_timestamp() + '59 seconds'
    AND clock_timestamp() + '60 seconds',
    'the lease ends a ttl from now') FROM held;
SELECT is((SELECT t.leased_until - t.heartbeat_at FROM board.tasks AS t JOIN held USING (id)),
    interval '1 minute', 'and is in the row');
SELECT isnt(board.heartbeat(id, 'a', progress => '{"page": 1}', attempt => 1), NULL,
    'with its attempt and progress') FROM held;
SELECT is((SELECT t.progress FROM board.tasks AS t JOIN held USING (id)), '{"page": 1}',
    'progress is kept');
SELECT isnt(board.heartbeat(id, 'a'), NULL, 'without progress') FROM held;
SELECT is((SELECT t.progress FROM board.tasks AS t JOIN held USING (id)), '{"page": 1}',
    'what was said stays');
SELECT is((SELECT count(*) FROM board.task_events
    WHERE type = 'extended'), 4::bigint, 'each is an event (BETWEEN asks twice)');
SELECT is((SELECT e.payload -> 'progress' FROM board.task_events AS e
    WHERE e.type = 'extended' ORDER BY e.seq DESC LIMIT 1), '{"page": 1}', 'with the progress');
DO $$ BEGIN PERFORM board.configure(log_heartbeats => false); PERFORM board.heartbeat(
    (SELECT id FROM held), 'a'); END $$;
SELECT is((SELECT count(*) FROM board.task_events
    WHERE type = 'extended'), 4::bigint, 'unless settings.log_heartbeats is off');

SELECT is(board.heartbeat(id, 'b'), NULL, 'another agent: NULL') FROM held;
SELECT is(board.heartbeat(id, 'a', attempt => 2), NULL, 'another attempt: NULL') FROM held;
SELECT is(board.heartbeat(gen_random_uuid(), 'a'), NULL, 'no such task: NULL');
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 ms';
SELECT is(board.heartbeat(id, 'a'), NULL, 'lapsed, though nobody has taken it yet: NULL') FROM held;
DO $$ BEGIN PERFORM board.claim('a'); END $$;
SELECT is(board.heartbeat(id, 'a', attempt => 1), NULL,
    'taken over under the same name: NULL for the old attempt') FROM held;
SELECT isnt(board.heartbeat(id, 'a', attempt => 2), NULL, 'the new attempt goes on') FROM held;
DO $$ BEGIN PERFORM board.cancel((SELECT id FROM held), 'op'); END $$;
SELECT is(board.heartbeat(id, 'a', attempt => 2), NULL, 'cancelled: NULL') FROM held;
DO $$ BEGIN PERFORM board.configure(require_attempt => true); END $$;
SELECT throws_ok($$SELECT board.heartbeat(gen_random_uuid(), 'a')$$, '22023',
    'invalid value for argument "attempt"', 'the attempt is missing where it is required');
SELECT throws_ok($$SELECT board.heartbeat(gen_random_uuid(), 'a', '0', attempt => 1)$$, '22023',
    'invalid value for argument "ttl"', 'ttl 0');
SELECT throws_ok($$SELECT board.heartbeat(gen_random_uuid(), NULL)$$, '22023',
    'invalid value for argument "agent"', 'agent NULL');

SELECT * FROM finish();
ROLLBACK;
