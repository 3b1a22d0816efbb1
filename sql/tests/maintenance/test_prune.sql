-- prune and prune_events.
BEGIN;
SELECT plan(13);
CREATE TEMP TABLE ids AS SELECT board.enqueue('k') AS open, board.enqueue('k') AS old,
    board.enqueue('k') AS young;
DO $$ BEGIN PERFORM board.cancel((SELECT old FROM ids),
    'op'); PERFORM board.cancel((SELECT young FROM ids), 'op'); END $$;
UPDATE board.tasks SET finished_at = clock_timestamp() - interval '40 days',
    created_at = clock_timestamp() - interval '41 days' WHERE id = (SELECT old FROM ids);
SELECT is(board.prune('30 days'), 1::bigint, 'what was finished more than 30 days ago');
SELECT is((SELECT count(*) FROM board.tasks), 2::bigint, 'the others stay');
SELECT is((SELECT count(*) FROM board.task_events AS e, ids
    WHERE e.task_id = ids.old), 2::bigint, 'its events stay');
SELECT is((SELECT l.detail ->> 'tasks' FROM board.audit_log AS l
    WHERE l.action = 'prune'), '1', 'it is in the audit log');
SELECT is(board.prune('30 days'), 0::bigint, 'nothing more');
DO $$ BEGIN PERFORM board.cancel(board.enqueue('k'), 'op') FROM generate_series(1, 5); END $$;
SELECT is(board.prune('0', 4), 4::bigint, 'at most max_tasks');
SELECT is(board.prune('0'), 2::bigint, 'then the rest; open tasks never');
SELECT throws_ok($$SELECT board.prune('-1 day')$$, '22023',
    'invalid value for argument "older_than"', 'older_than negative');
SELECT throws_ok($$SELECT board.prune(NULL)$$, '22023', 'invalid value for argument "older_than"',
    'older_than NULL');
SELECT throws_ok($$SELECT board.prune('1 day', 0)$$, '22023',
    'invalid value for argument "max_tasks"', 'max_tasks 0');

SELECT throws_ok($$SELECT board.prune_events()$$, '55000', 'events are kept for ever',
    'events are kept unless retain_events is set');
DO $$ BEGIN PERFORM board.configure(retain_events => '1 hour'); END $$;
SELECT is(board.prune_events(), 0::bigint, 'none is old enough');
SELECT throws_ok('DELETE FROM board.task_events', '55000', 'board.task_events is append-only',
    'and the guard holds for young ones');

SELECT * FROM finish();
ROLLBACK;
