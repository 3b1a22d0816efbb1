-- The log: every transition, whoever made it, and no way to change it.
BEGIN;
SELECT plan(21);
CREATE TEMP TABLE ids AS SELECT board.enqueue('k') AS id;
UPDATE board.tasks SET priority = 4;
UPDATE board.tasks SET status = 'in_progress', leased_by = 'dba',
    leased_until = clock_timestamp() + interval '1 min', claim_count = 1;
UPDATE board.tasks SET leased_until = leased_until + interval '1 min';
UPDATE board.tasks SET leased_until = leased_until - interval '1 min';
UPDATE board.tasks SET status = 'pending';
UPDATE board.tasks SET payload = '{"x": 1}';
UPDATE board.tasks SET paused = true;
UPDATE board.tasks SET paused = false;
UPDATE board.tasks SET status = 'escalated';
UPDATE board.tasks SET status = 'pending';
UPDATE board.tasks SET status = 'completed';
UPDATE board.tasks SET status = 'pending';
UPDATE board.tasks SET status = 'cancelled';
SELECT is((SELECT array_agg(e.type::text ORDER BY e.seq) FROM board.task_events AS e),
    ARRAY['enqueued', 'reprioritized', 'claimed', 'extended', 'released', 'paused', 'resumed',
        'escalated', 'retried', 'completed', 'replayed', 'cancelled'],
    'UPDATEs typed by hand are transitions too; what is none leaves no event');
SELECT is((SELECT array_agg(DISTINCT e.actor) FROM board.task_events AS e),
    ARRAY[current_user::text], 'under the database role');
SELECT results_eq($$SELECT t.leased_by, t.leased_until, t.escalated_at,
    t.finished_by FROM board.tasks AS t$$,
    $$SELECT NULL::text, NULL::timestamptz, NULL::timestamptz,
        current_user::text COLLATE "default"$$, 'what goes with the status is put right');
INSERT INTO board.tasks (kind) VALUES ('typed');
SELECT is((SELECT e.type || e.kind FROM board.task_events AS e ORDER BY e.seq DESC LIMIT 1),
    'enqueuedtyped', 'an INSERT typed by hand is logged');
SELECT is((SELECT count(*) FROM board.claim('a')), 1::bigint, 'and its kind is found');
DO $$ BEGIN PERFORM board.enqueue('misspelt'); END $$;
UPDATE board.tasks SET kind = 'spelt' WHERE kind = 'misspelt';
SELECT is((SELECT c.kind FROM board.claim('a') AS c), 'spelt',
    'a task that is given another kind by hand is found under it');
UPDATE board.tasks SET status = 'pending' WHERE kind = 'typed';
SELECT is(
    (SELECT e.type || ' ' || e.actor FROM board.task_events AS e ORDER BY e.seq DESC LIMIT 1),
        'released ' || current_user,
    'a change by hand after a verb in the same transaction is not taken for the verb''s');

SELECT throws_ok('UPDATE board.task_events SET actor = ''x''', '55000',
    'board.task_events is append-only', 'no UPDATE');
SELECT throws_ok('DELETE FROM board.task_events', '55000', 'board.task_events is append-only',
    'no DELETE');
DO $$ BEGIN PERFORM board.configure(retain_events => '1 minute'); END $$;
SELECT throws_ok('DELETE FROM board.task_events', '55000', 'board.task_events is append-only',
    'no DELETE of what retain_events keeps');
SELECT throws_ok('TRUNCATE board.task_events', '55000', 'board.task_events is append-only',
    'no TRUNCATE');
SELECT throws_ok('TRUNCATE board.tasks CASCADE', '55000', NULL, 'no TRUNCATE of tasks');
SELECT throws_ok($$DELETE FROM board.tasks
    WHERE status = 'pending'$$, '55000', 'an open task cannot be deleted',
        'no DELETE of an open task');
SELECT lives_ok($$DELETE FROM board.tasks
    WHERE status = 'cancelled'$$, 'a finished one may be deleted');
SELECT is((SELECT count(*) FROM board.task_events AS e, ids
    WHERE e.task_id = ids.id), 12::bigint, 'its events stay');
DO $$ BEGIN PERFORM board.configure(notify => 'off'); END $$;
SELECT throws_ok('UPDATE board.audit_log SET actor = ''x''', '55000',
    'board.audit_log is append-only', 'audit_log: no UPDATE');
SELECT throws_ok('DELETE FROM board.audit_log', '55000', 'board.audit_log is append-only',
    'audit_log: no DELETE');
SELECT throws_ok('TRUNCATE board.audit_log', '55000', 'board.audit_log is append-only',
    'audit_log: no TRUNCATE');
SET session_replication_role = replica;
SELECT throws_ok('DELETE FROM board.task_events', '55000', 'board.task_events is append-only',
    'not even as a replica');
RESET session_replication_role;
SELECT is((SELECT bool_and(e.xid = pg_current_xact_id()) FROM board.task_events AS e), true,
    'xid is the writing transaction');

SELECT board.enqueue('before');
UPDATE board.tasks SET kind = 'renamed' WHERE kind = 'before';
SELECT is((SELECT count(*) FROM board.kind_names AS n WHERE n.name = 'renamed'), 1::bigint,
    'a kind renamed by hand is known by its name');

SELECT * FROM finish();
ROLLBACK;
