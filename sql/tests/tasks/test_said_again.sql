-- A lost answer is asked for again: fail, release, escalate with attempt; is_new after enqueue.
BEGIN;
SELECT plan(32);
CREATE TEMP TABLE ids AS SELECT board.enqueue('k') AS id;
CREATE FUNCTION pg_temp.take(agent text) RETURNS int LANGUAGE sql
    AS $f$ SELECT c.claim_count FROM board.claim(agent) AS c $f$;
CREATE FUNCTION pg_temp.events() RETURNS bigint LANGUAGE sql
    AS $f$ SELECT count(*) FROM board.task_events AS e JOIN ids ON ids.id = e.task_id $f$;

SELECT is(pg_temp.take('a'), 1, 'attempt 1');
SELECT is(board.fail(id, 'a', '{"e": 1}', attempt => 1), 'pending', 'fail') FROM ids;
SELECT is(board.fail(id, 'a', '{"e": 1}', attempt => 1), 'pending', 'said again') FROM ids;
SELECT is(pg_temp.events(), 3::bigint, 'is no event');
SELECT throws_ok(format($$SELECT board.fail(%L, 'a', '{"e": 2}', attempt => 1)$$, id), 'TB004',
    'attempt ended with another payload', 'another payload') FROM ids;
SELECT throws_ok(format($$SELECT board.fail(%L, 'a', '{"e": 1}', true, attempt => 1)$$, id),
    'TB004', NULL, 'permanent is part of what was said') FROM ids;
SELECT throws_ok(format($$SELECT board.fail(%L, 'b', '{"e": 1}', attempt => 1)$$, id), 'TB001',
    NULL, 'another agent') FROM ids;
SELECT throws_ok(format($$SELECT board.fail(%L, 'a', '{"e": 1}')$$, id), 'TB001', NULL,
    'without attempt nobody can tell') FROM ids;
SELECT throws_ok(format($$SELECT board.release(%L, 'a', attempt => 1)$$, id), 'TB001', NULL,
    'another verb') FROM ids;
SELECT throws_ok(format($$SELECT board.complete(%L, 'a', attempt => 1)$$, id), 'TB001', NULL,
    'complete is another verb too') FROM ids;

SELECT is(pg_temp.take('a'), 2, 'attempt 2, the same agent');
SELECT is(board.fail(id, 'a', '{"e": 1}', attempt => 1), 'pending',
    'the repetition still answers for attempt 1') FROM ids;
SELECT results_eq($$SELECT t.failure_count, t.status::text, t.leased_by FROM board.tasks AS t
    JOIN ids USING (id)$$, $$VALUES (1, 'in_progress', 'a')$$, 'and does not strike attempt 2');
SELECT is(board.fail(id, 'a', NULL, retry_in => '1 day', attempt => 2), 'scheduled', 'with a delay')
  FROM ids;
UPDATE board.tasks AS t SET run_at = clock_timestamp() FROM ids WHERE t.id = ids.id;
SELECT is(pg_temp.take('b'), 3, 'attempt 3, another agent');
SELECT is(board.fail(id, 'a', NULL, retry_in => '2 days', attempt => 2), 'scheduled',
    'the same answer, whatever became of the task') FROM ids;
SELECT is(board.release(id, 'b', attempt => 3), 'pending', 'release') FROM ids;
SELECT is(board.release(id, 'b', attempt => 3), 'pending', 'said again') FROM ids;
SELECT is(pg_temp.take('b'), 4, 'attempt 4');
SELECT is(board.release(id, 'b', attempt => 3), 'pending', 'after the next claim') FROM ids;
SELECT is(board.escalate(id, 'b', '{"q": 1}', attempt => 4), 'escalated', 'escalate') FROM ids;
SELECT is(board.escalate(id, 'b', '{"q": 1}', attempt => 4), 'escalated', 'said again') FROM ids;
SELECT throws_ok(format($$SELECT board.escalate(%L, 'b', '{"q": 2}', attempt => 4)$$, id), 'TB004',
    NULL, 'another question') FROM ids;
SELECT results_eq($$SELECT e.type::text, count(*) FROM board.task_events AS e
    JOIN ids ON ids.id = e.task_id GROUP BY 1 ORDER BY 1$$,
    $$VALUES ('claimed', 4::bigint), ('enqueued', 1), ('escalated', 1), ('failed', 2),
        ('released', 1)$$, 'in all, each transition once');

CREATE TEMP TABLE waits AS SELECT board.enqueue('sub') AS need, NULL::uuid AS id;
DO $$ BEGIN PERFORM board.configure_kind('parent'); END $$;
UPDATE waits SET id = board.enqueue('parent');
DO $$ BEGIN PERFORM board.claim('a', kinds => '{parent}'); END $$;
SELECT is(board.release(id, 'a', attempt => 1, needs => ARRAY[need]), 'blocked', 'with needs')
  FROM waits;
SELECT is(board.release(id, 'a', attempt => 1, needs => ARRAY[need]), 'blocked', 'said again')
  FROM waits;
SELECT throws_ok(format($$SELECT board.release(%L, 'a', attempt => 1)$$, id), 'TB004', NULL,
    'without them') FROM waits;
SELECT is(board._task_json(t) ? 'ended', false, 'what was said is the board''s own')
  FROM board.tasks AS t JOIN ids USING (id);

CREATE TEMP TABLE keyed AS
    SELECT e.id, board.is_new(e.id) AS made FROM board.enqueue('u', unique_key => 'x') AS e (id);
SELECT ok(made, 'is_new, in the statement that enqueues') FROM keyed;
SELECT ok(board.is_new(id), 'and later in the transaction') FROM keyed;
SELECT ok(NOT board.is_new(gen_random_uuid()), 'unknown');
SELECT ok(NOT board.is_new(NULL), 'NULL');
SELECT * FROM finish();
ROLLBACK;
