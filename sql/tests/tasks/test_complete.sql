-- complete and complete_many: once, by the holder, and the same answer when asked again.
BEGIN;
SELECT plan(21);
DO $$ BEGIN PERFORM board.enqueue_many('k', ARRAY['{}', '{}']::jsonb[]); END $$;
CREATE TEMP TABLE held AS SELECT c.* FROM board.claim('a') AS c;
SELECT is(board.complete(id, 'a', '{"r": 1}', 1), 'completed',
    'the holder completes') FROM held LIMIT 1;
SELECT results_eq($$SELECT t.status::text, t.result, t.leased_by,
        t.finished_by FROM board.tasks AS t
    WHERE t.status = 'completed' ORDER BY t.id LIMIT 1$$,
    $$VALUES ('completed', '{"r": 1}'::jsonb, NULL::text, 'a')$$, 'the row');
CREATE TEMP TABLE done AS SELECT t.id FROM board.tasks AS t WHERE t.result = '{"r": 1}';
SELECT is(board.complete(id, 'a', '{"r": 1.0}'), 'completed',
    'again, with an equal result: the same answer') FROM done;
SELECT is((SELECT count(*) FROM board.task_events AS e JOIN done ON done.id = e.task_id
    WHERE e.type = 'completed'), 1::bigint, 'and no second event');
SELECT throws_ok(format($$SELECT board.complete(%L, 'a', '{"r": 2}')$$, id), 'TB004',
    'task completed with another result', 'another result') FROM done;
SELECT throws_ok(format($$SELECT board.complete(%L, 'a')$$, id), 'TB004',
    'task completed with another result', 'no result is another result') FROM done;
SELECT throws_ok(format($$SELECT board.complete(%L, 'b', '{"r": 1}')$$, id), 'TB001',
    'lease lost', 'another agent') FROM done;
SELECT throws_ok(format($$SELECT board.complete(%L, 'a', '{"r": 1}', 2)$$, id), 'TB001',
    'lease lost', 'another attempt') FROM done;
SELECT throws_ok($$SELECT board.complete(gen_random_uuid(), 'a')$$, 'TB002', 'task not found',
    'no such task');
SELECT throws_ok($$SELECT board.complete(NULL, 'a')$$, '22023', 'invalid value for argument "id"',
    'id NULL');
SELECT throws_ok($$SELECT board.complete(gen_random_uuid(), '')$$, '22023',
    'invalid value for argument "agent"', 'agent empty');

CREATE TEMP TABLE lost AS SELECT c.id FROM (SELECT board.enqueue('lost')) AS e,
    board.claim('a', kinds => ARRAY['lost']) AS c;
UPDATE board.tasks SET leased_until = clock_timestamp() - interval '1 ms' WHERE kind = 'lost';
SELECT throws_ok(format($$SELECT board.complete(%L, 'a')$$, id), 'TB001', 'lease lost',
    'a lapsed lease, though nobody has taken it yet') FROM lost;
CREATE FUNCTION pg_temp.hint(statement text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE _hint text;
BEGIN
    EXECUTE statement;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS _hint = PG_EXCEPTION_HINT;
    RETURN _hint;
END $f$;
SELECT matches(pg_temp.hint(format($$SELECT board.complete(%L, 'a')$$, id)), 'claim_task',
    'the hint says how to go on') FROM lost;
DO $$ BEGIN PERFORM board.claim('a', kinds => ARRAY['lost']); END $$;
SELECT throws_ok(format($$SELECT board.complete(%L, 'a', attempt => 1)$$, id), 'TB001',
    'lease lost', 'taken over under the same name') FROM lost;
SELECT is(board.complete(id, 'a', attempt => 2), 'completed',
    'the new attempt completes') FROM lost;
SELECT is((SELECT count(*) FROM board.task_events AS e JOIN lost ON lost.id = e.task_id
    WHERE e.type = 'completed'), 1::bigint, 'one completed');

DO $$ BEGIN PERFORM board.enqueue_many('batch', ARRAY['{}', '{}', '{}']::jsonb[]); END $$;
CREATE TEMP TABLE batch
    AS SELECT c.id FROM board.claim('a', kinds => ARRAY['batch'], max_tasks => 3) AS c;
UPDATE board.tasks SET leased_until = clock_timestamp()
    WHERE id = (SELECT min(id::text)::uuid FROM batch);
SELECT results_eq(
    $$SELECT board.complete_many(
        (SELECT array_agg(id ORDER BY id DESC) || gen_random_uuid() || NULL::uuid
            || array_agg(id) FROM batch), 'a')$$,
    $$SELECT id FROM batch WHERE id > (SELECT min(id::text)::uuid FROM batch) ORDER BY id$$,
    'complete_many: those still held, in id order, once each');
SELECT is_empty($$SELECT board.complete_many((SELECT array_agg(id) FROM batch), 'b')$$,
    'nothing for another agent');
SELECT throws_ok($$SELECT board.complete_many(NULL, 'a')$$, '22023',
    'invalid value for argument "ids"', 'ids NULL');
DO $$ BEGIN PERFORM board.configure(require_attempt => true); END $$;
SELECT throws_ok($$SELECT board.complete_many('{}', 'a')$$, '22023',
    'invalid value for argument "attempt"', 'not where attempts are required');
SELECT throws_ok($$SELECT board.complete(gen_random_uuid(), 'a')$$, 'TB002', NULL,
    'an unknown task is told first');

SELECT * FROM finish();
ROLLBACK;
